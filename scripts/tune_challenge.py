"""Chooses the parameters of elimination by challenge, on other instances than those reported.

    python scripts/tune_challenge.py            one parameter at a time around the default
    python scripts/tune_challenge.py --search   from there to wherever a change is a gain

Two families. *Gaussian*, σ known: 3, 8 and 12 arms, one or several of them near the best, δ = 1e-3
and 1e-7, with all means at 0 and with a common offset; factors are over ICQ-SE with 3 bits, in its
own setting. *Bounded*, no σ: coins and Beta rewards, 3, 6 and 12 arms, δ = 0.02 and 1e-4; factors
are over the default. The hardness figure has 5 arms and δ = 1e-5; the bounded instances that the
docs report have δ = 0.05, 0.1 and 1e-6, and other means. Docs: `docs/challenge.md`.
"""

import itertools
import math
import sys
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from bitarm.api.simulate import simulate
from bitarm.core.policies import ChallengeElimination
from bitarm.core.quantizers import Dyadic
from bitarm.sim.models import Bernoulli, Beta, Gaussian, RewardModel

TRIALS = 200
FACTORS = (0.7, 0.85, 1.2, 1.4)
"""By which a parameter is changed."""

LIMITS = {"behind": 1.0, "aim": 1.0}
ICQ: dict[str, Any] = {
    "quantizer": "icq",
    "bits": 3,
    "width": "paper",
    "policy": "se",
    "growth": 2.0,
}
CHALLENGE: dict[str, Any] = {"quantizer": "dyadic", "policy": "challenge"}
DEFAULT: dict[str, float] = {
    field.name: field.default
    for owner in (Dyadic, ChallengeElimination)
    for field in fields(owner)
    if isinstance(field.default, float) and field.default > 0
}


class Instance(NamedTuple):
    """Arms, δ, and what is known of rewards."""

    models: tuple[RewardModel, ...]
    delta: float
    words: dict[str, Any]


class Price(NamedTuple):
    """Means of a few hundred trials."""

    samples: float
    bits: float
    rounds: float


def gaussian() -> list[Instance]:
    """One arm above all others by 0.8 to 8 deviations; or others in between."""
    rng = np.random.default_rng(7)
    made = []
    for arms, gap, delta, moved in itertools.product(
        (3, 8, 12), (0.8, 1.6, 3.2, 5.6, 8.0), (1e-3, 1e-7), (False, True)
    ):
        offset = rng.uniform(0, 8) if moved else 0.0
        means = np.full(arms, offset)
        if rng.random() < 0.3:
            means += rng.uniform(-3, 0, arms) * gap
        means[rng.integers(arms)] = offset + gap
        models = tuple(Gaussian(mean=float(mean), sd=1.0) for mean in means)
        made.append(Instance(models, delta, {"sigma": 1.0}))
    return made


def bounded() -> list[Instance]:
    """Coins and Beta rewards of which nothing is known but that they lie in [0, 1]."""
    rng = np.random.default_rng(11)
    made = []
    for arms, delta, top in itertools.product((3, 6, 12), (0.02, 1e-4), (0.15, 0.6, 0.9, 0.985)):
        gap = rng.uniform(0.15, 0.6) * math.sqrt(top * (1 - top))
        means = top - gap * rng.uniform(1, 3, arms)
        means[rng.integers(arms)] = top
        means = np.clip(means, 0.005, 0.995)
        coins = rng.random() < 0.6
        width = rng.uniform(3, 40)
        models: list[RewardModel] = []
        for mean in map(float, means):
            beta = Beta(mean=mean, concentration=width)
            models.append(Bernoulli(mean=mean) if coins else beta)
        made.append(Instance(tuple(models), delta, {"bounds": (0.0, 1.0)}))
    return made


def price(instance: Instance, **words: Any) -> Price:
    """What an instance costs under these words."""
    point = simulate(
        instance.models,
        trials=TRIALS,
        seed=3,
        workers=1,
        delta=instance.delta,
        **instance.words,
        **words,
    ).points[0]
    result = point.result
    return Price(result.samples.mean, result.payload_bits.mean, result.rounds.mean)


def geometric_mean(factors: Sequence[float]) -> float:
    """The mean of factors."""
    return math.exp(sum(map(math.log, factors)) / len(factors))


class Score(NamedTuple):
    """Factors by which samples and bits are fewer: geometric mean, and the least."""

    samples: float
    least_samples: float
    bits: float
    least_bits: float

    @classmethod
    def of(cls, before: Sequence[Price], after: Sequence[Price]) -> "Score":
        """Of prices on the same instances."""
        samples = [a.samples / b.samples for a, b in zip(before, after, strict=True)]
        bits = [a.bits / b.bits for a, b in zip(before, after, strict=True)]
        return cls(geometric_mean(samples), min(samples), geometric_mean(bits), min(bits))

    def __str__(self) -> str:
        samples = f"{self.samples:.2f} ({self.least_samples:.2f})"
        return f"{samples}  {self.bits:.2f} ({self.least_bits:.2f})"


class Tried(NamedTuple):
    """A setting with its scores."""

    words: dict[str, float]
    gaussian: Score
    bounded: Score

    @property
    def worth(self) -> float:
        """What is to be large: products of samples' and bits' factors of both families."""
        return self.gaussian.samples * self.gaussian.bits * self.bounded.samples * self.bounded.bits

    def show(self) -> None:
        """One line, with what differs from the default."""
        changed = {word: value for word, value in self.words.items() if value != DEFAULT[word]}
        print(f"{self.gaussian}  {self.bounded}  {self.worth:.2f}  {changed}", flush=True)


class Bench:
    """Both families, with what is compared with."""

    def __init__(self) -> None:
        self._gaussian, self._bounded = gaussian(), bounded()
        self._icq = [price(instance, **ICQ) for instance in self._gaussian]
        self._before = [price(instance, **CHALLENGE) for instance in self._bounded]

    def score(self, words: dict[str, float]) -> Tried:
        """Simulate a setting on all instances."""
        ours = [price(instance, **CHALLENGE, **words) for instance in self._gaussian]
        theirs = [price(instance, **CHALLENGE, **words) for instance in self._bounded]
        tried = Tried(words, Score.of(self._icq, ours), Score.of(self._before, theirs))
        tried.show()
        return tried

    def neighbours(self, words: dict[str, float]) -> list[Tried]:
        """Settings with one parameter changed."""
        return [
            self.score({**words, word: min(value * factor, LIMITS.get(word, math.inf))})
            for word, value in words.items()
            for factor in FACTORS
        ]


def main(*, search: bool) -> None:
    """Print a line for each setting; with `search`, go on from the best of them."""
    print("Gaussian: samples (least)  bits (least)  bounded: the same  product  changed")
    bench = Bench()
    best = bench.score(DEFAULT)
    while True:
        nearby = max(bench.neighbours(best.words), key=lambda tried: tried.worth)
        if not search or nearby.worth <= 1.005 * best.worth:  # within noise
            return
        best = nearby


if __name__ == "__main__":
    main(search="--search" in sys.argv)
