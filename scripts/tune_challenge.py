"""Chooses the parameters of elimination by challenge, on other instances than those reported.

    python scripts/tune_challenge.py                     the default, on both halves
    python scripts/tune_challenge.py kappa=2 UNSURE=1.3  another setting, on both halves
    python scripts/tune_challenge.py --words             choose the words
    python scripts/tune_challenge.py --constants         one constant at a time

What is chosen on, and by what, was written down before any result of it was seen:

*Gaussian* arms, σ known: 4, 6, 7 and 10 arms; the best is ahead by 0.6 to 9 deviations (uniform);
the others are level, or as far behind again as chance has it, or in even steps; δ is 1e-2, 1e-3,
1e-4, 1e-6 or 1e-7; half of them have means that are shifted alike by up to 10 deviations; σ is
anywhere between ¼ and 4, since steps are near powers of two. *Bounded* rewards, no σ: 4, 6, 7 and
10 arms, coins and Beta rewards, best means from 0.1 to 0.995, δ is 0.2, 0.02, 1e-3, 1e-5 or 1e-7.
No instance is one of those that the docs report: the hardness figure has 5 arms and δ = 1e-5, the
bounded ones have δ = 0.05, 0.1 and 1e-6.

There are two halves, drawn alike. On the *choosing* half a setting is chosen; on the *checking*
half it is compared with the default, once.

The criterion: factors by which samples and bits are fewer than those of ICQ-SE with 3 bits, in its
own setting (σ = ½ where only bounds are known). A setting's *worth* is the geometric mean of four
numbers, the geometric means of the factors of samples and of bits over the instances of each
family. No least factor may be below a fifth of its geometric mean (a third was written first: that
ruled out the default itself, since factors over σ = ½ vary with the arms' variances). A setting
whose worth on the checking half is not 2 % above the default's changes nothing.

Docs: `docs/challenge.md`.
"""

import argparse
import itertools
import math
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from bitarm.api.simulate import simulate
from bitarm.core.policies import ChallengeElimination
from bitarm.core.quantizers import Dyadic
from bitarm.sim.models import Bernoulli, Beta, Gaussian, RewardModel

TRIALS = 1000
TRIALS_OF_ICQ = {"gaussian": 400, "bounded": 20}
"""ICQ's costs are the same for all settings: how roughly they are known chooses nothing."""

SEEDS = {"choosing": 2024, "checking": 4202}
FACTORS = (0.7, 0.85, 1.2, 1.4)
"""By which a word is changed."""

SHARE = 1 / 5
"""Of a geometric mean, below which no least factor may be."""

GAIN = 1.003
"""A change that is worth less is noise."""

ICQ: dict[str, Any] = {
    "quantizer": "icq",
    "bits": 3,
    "width": "paper",
    "policy": "se",
    "growth": 2.0,
}
CHALLENGE: dict[str, Any] = {"quantizer": "dyadic", "policy": "challenge"}
MOST = {"behind": 1.0, "aim": 1.0}
DEFAULT: dict[str, float] = {
    field.name: field.default
    for owner in (Dyadic, ChallengeElimination)
    for field in fields(owner)
    if isinstance(field.default, float) and field.default > 0
}
CONSTANTS: dict[str, tuple[float, ...]] = {
    "UNSURE": (1.1, 1.35, 2.0, 2.5),
    "SHORT": (1.5, 2.8, 4.0),
    "NEAR_ESCAPE": (3, 4, 8),
    "DOUBT": (0.3, 0.9),
    "MANY": (0.0, 0.25, 0.75),
    "LIKELY": (0.5, 1.5),
    "FIRST_EDGES": (1, 3),
    "EDGE_OF_BETS": (0.5, 0.85),
    "FIRST_OF_BETS": (0.9, 1.5),
}
"""What each of them is tried at, beside what it is. Kernels have them compiled in, so each value
takes a process of its own."""

DELTAS = {"gaussian": (1e-2, 1e-3, 1e-4, 1e-6, 1e-7), "bounded": (0.2, 0.02, 1e-3, 1e-5, 1e-7)}


class Instance(NamedTuple):
    """Arms, δ, and what is known of rewards."""

    models: tuple[RewardModel, ...]
    delta: float
    words: dict[str, Any]


class Price(NamedTuple):
    """Means over trials."""

    samples: float
    bits: float


# -- instances ------------------------------------------------------------------------------------


def gaussian(rng: np.random.Generator) -> Iterator[Instance]:
    """48 instances: arms, a sixth of the range of gaps, and whether means are shifted."""
    for arms, sixth, moved in itertools.product((4, 6, 7, 10), range(6), (False, True)):
        sd = 2.0 ** rng.uniform(-2, 2)
        gap = 0.6 + (sixth + rng.random()) * 8.4 / 6
        behind = np.ones(arms - 1)
        pattern = rng.random()
        if pattern < 0.25:
            behind = np.append(1.0, rng.uniform(1, 3, arms - 2))
        elif pattern < 0.5:
            behind = np.arange(1.0, arms)
        means = gap * (1.0 - rng.permutation(np.append(0.0, behind)))
        means = sd * (means + (rng.uniform(-10, 10) if moved else 0.0))
        models = tuple(Gaussian(mean=float(mean), sd=sd) for mean in means)
        yield Instance(models, float(rng.choice(DELTAS["gaussian"])), {"sigma": sd})


def bounded(rng: np.random.Generator) -> Iterator[Instance]:
    """16 instances: arms, and a part of the range of best means."""
    parts = ((0.1, 0.4), (0.4, 0.7), (0.7, 0.95), (0.95, 0.995))
    for arms, (low, high) in itertools.product((4, 6, 7, 10), parts):
        top = rng.uniform(low, high)
        gap = rng.uniform(0.2, 0.6) * math.sqrt(top * (1 - top))
        behind = np.append(1.0, rng.uniform(1, 3, arms - 2)) * gap
        means = rng.permutation(np.append(top, np.clip(top - behind, 0.003, 1)))
        coins, width = rng.random() < 0.6, rng.uniform(1, 40)
        models: list[RewardModel] = []
        for mean in map(float, means):
            beta = Beta(mean=mean, concentration=width)
            models.append(Bernoulli(mean=mean) if coins else beta)
        yield Instance(tuple(models), float(rng.choice(DELTAS["bounded"])), {"bounds": (0.0, 1.0)})


FAMILIES: dict[str, Callable[[np.random.Generator], Iterator[Instance]]] = {
    "gaussian": gaussian,
    "bounded": bounded,
}


def price(instance: Instance, trials: int, **words: Any) -> Price:
    """What an instance costs under these words."""
    given = {"delta": instance.delta, **instance.words, **words}
    point = simulate(instance.models, trials=trials, seed=3, workers=1, **given).points[0]
    return Price(point.result.samples.mean, point.result.payload_bits.mean)


# -- scores ---------------------------------------------------------------------------------------


def geometric_mean(factors: Sequence[float]) -> float:
    """The mean of factors."""
    return math.exp(sum(map(math.log, factors)) / len(factors))


class Score(NamedTuple):
    """Geometric means of factors and the least ones: of samples and bits, of each family."""

    means: tuple[float, ...]
    least: tuple[float, ...]

    @property
    def worth(self) -> float:
        """What is to be large; nothing where a least factor is too small."""
        if any(least < SHARE * mean for mean, least in zip(self.means, self.least, strict=True)):
            return 0.0
        return geometric_mean(self.means)

    def __str__(self) -> str:
        pairs = zip(self.means, self.least, strict=True)
        row = "  ".join(f"{mean:6.3f} ({least:5.2f})" for mean, least in pairs)
        return f"{row}  {self.worth:.4f}"


class Bench:
    """One half of the instances, with what ICQ takes."""

    def __init__(self, half: str) -> None:
        self._instances = {
            family: list(draw(np.random.default_rng([SEEDS[half], place])))
            for place, (family, draw) in enumerate(FAMILIES.items())
        }
        self._icq = {
            family: [price(one, TRIALS_OF_ICQ[family], **ICQ) for one in instances]
            for family, instances in self._instances.items()
        }

    def score(self, words: dict[str, float]) -> Score:
        """Simulate a setting on all instances."""
        means, least = [], []
        for family, instances in self._instances.items():
            ours = [price(one, TRIALS, **CHALLENGE, **words) for one in instances]
            for metric in ("samples", "bits"):
                factors = [
                    getattr(before, metric) / getattr(after, metric)
                    for before, after in zip(self._icq[family], ours, strict=True)
                ]
                means.append(geometric_mean(factors))
                least.append(min(factors))
        return Score(tuple(means), tuple(least))


def show(score: Score, words: dict[str, float], text: str = "") -> None:
    """One line, with what differs from the default."""
    changed = {word: round(value, 3) for word, value in words.items() if value != DEFAULT[word]}
    print(f"{score}  {changed} {text}", flush=True)


# -- searching ------------------------------------------------------------------------------------


def choose_words() -> dict[str, float]:
    """One word after another, each to where it is best, until no change is a gain."""
    bench, words = Bench("choosing"), dict(DEFAULT)
    best = bench.score(words)
    show(best, words)
    gained = True
    while gained:
        gained = False
        for word, factor in itertools.product(DEFAULT, FACTORS):
            value = min(words[word] * factor, MOST.get(word, math.inf))
            tried = {**words, word: round(value, 3)}
            score = bench.score(tried)
            show(score, tried)
            if score.worth > GAIN * best.worth:
                best, words, gained = score, tried, True
    show(best, words, "chosen")
    return words


def try_constants(settings: Sequence[str]) -> None:
    """Each constant at each of its other values."""
    for name, values in CONSTANTS.items():
        for value in values:
            call = [sys.executable, __file__, "--half", "choosing", *settings, f"{name}={value}"]
            subprocess.run(call, check=True)


def set_constant(name: str, value: float) -> None:
    """Let the core and the simulator have another value, before kernels are compiled.

    They are looked for on disk by the number of their sources: other constants are other sources,
    and so are several of them together.
    """
    number = zlib.crc32(f"{name} {value}".encode())
    for module in [m for key, m in sys.modules.items() if key.startswith("bitarm.")]:
        if hasattr(module, name):
            setattr(module, name, type(getattr(module, name))(value))
        if hasattr(module, "SOURCES_NUMBER"):
            number_before = getattr(module, "SOURCES_NUMBER")  # noqa: B009
            setattr(module, "SOURCES_NUMBER", number_before ^ number)  # noqa: B010


def main() -> None:
    """Print a line for each setting."""
    parser = argparse.ArgumentParser(description="Parameters, chosen on instances of their own.")
    parser.add_argument("--words", action="store_true", help="choose them")
    parser.add_argument("--constants", action="store_true", help="one at a time")
    parser.add_argument("--half", choices=SEEDS, help="one half only, in place of both")
    parser.add_argument("settings", nargs="*", metavar="NAME=VALUE", help="words or constants")
    given = parser.parse_args()
    words = dict(DEFAULT)
    for name, _, value in (text.partition("=") for text in given.settings):
        if name in CONSTANTS:
            set_constant(name, float(value))
        else:
            words[name] = float(value)
    if given.constants:
        try_constants(given.settings)
    elif given.words:
        choose_words()
    else:
        for half in [given.half] if given.half else SEEDS:
            show(Bench(half).score(words), words, f"{half} {' '.join(given.settings)}")


if __name__ == "__main__":
    main()
