"""Are the gains those of the paper's instances only? Gaussian arms."""

from bitarm.experiments.scattered import never_worse

ANALYSIS = never_worse(
    "The best mean is uniform on [−6, 6]; no other is nearer to it than a number uniform on "
    "[0.25, 1.5], and they are uniform over the 4 below that. σ = 1, δ = 0.01.",
)
