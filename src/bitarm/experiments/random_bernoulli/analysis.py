"""Are the gains those of the paper's instances only? Bernoulli arms."""

from bitarm.experiments.scattered import never_worse

ANALYSIS = never_worse(
    "The best mean is uniform on [0.5, 0.95]; no other is nearer than a number uniform on "
    "[0.1, 0.4], and they are uniform from 0.02 up to that. σ = 1/2, δ = 0.01.",
)
