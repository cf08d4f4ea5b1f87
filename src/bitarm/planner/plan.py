"""`plan`: the setting of least expected cost, what it will cost, and what if the guess is wrong."""

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from bitarm.api.identify import new_seed
from bitarm.api.scheme import DEFAULT_DELTA
from bitarm.api.words import LIMITS, split, typed
from bitarm.core.guarantee import Guarantee
from bitarm.core.limits import Limits
from bitarm.core.quantizer import Bounds
from bitarm.core.spec import check_seed
from bitarm.errors import ConfigError
from bitarm.planner.admission import Admission
from bitarm.planner.candidates import coarse, rescaled
from bitarm.planner.curve import front, near_front, thinned
from bitarm.planner.figures import Figures
from bitarm.planner.fixed import fixed_words, refuse_unplanned
from bitarm.planner.frames import Fit, unit_of
from bitarm.planner.gauge import Effort, Gauge
from bitarm.planner.guess import GapPrior
from bitarm.planner.prices import prices_of
from bitarm.planner.question import Question, question_of
from bitarm.planner.search import FINAL, Search, Tried
from bitarm.planner.setting import Setting
from bitarm.theory import lower_bound

Progress = Callable[[str, int], None]
"""Told what is being done, and how many settings were measured so far."""

FACTORS = (0.5, 2.0)
"""By how much the guess may be wrong."""

_CURVE = 10  # points of the trade-off that are shown
_CURVE_MEASURED = 24
_WEIGHTS = (0.25, 0.6, 0.9)  # of samples against bits, for which good settings are sought
_STARTS_AGAIN = 8  # settings with which the search for a wrong guess begins
_EXACT_DRAWS = 4_000_000  # rewards that may be drawn one by one
_LEAST_EXACT = 64  # runs
_BOUND_ENVIRONMENTS = Effort(environments=64, runs=1)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Misjudged:
    """The guess was wrong: every gap is `factor` times what was thought."""

    factor: float
    planned: Figures | None  # of the plan; None if it does not decide then
    best: Tried  # what one would have chosen, had one known

    @property
    def regret(self) -> float:
        """The plan's cost, over that of the setting that one would have chosen."""
        return math.inf if self.planned is None else self.planned.cost.mean / self.best_cost

    @property
    def best_cost(self) -> float:
        """Of the setting that one would have chosen."""
        return self.best.figures.cost.mean

    def to_json(self) -> dict[str, Any]:
        """Plain types."""
        return {
            "factor": self.factor,
            "planned": None if self.planned is None else self.planned.to_json(),
            "best": {"scheme": self.best.setting.words, **self.best.figures.to_json()},
            "cost_ratio": None if self.planned is None else self.regret,
        }


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The setting to use and what is known of it."""

    question: Question
    setting: Setting
    figures: Figures
    guarantee: Guarantee
    lower_bound: (
        float  # E[samples] of any sound strategy on Gaussian arms, averaged over environments
    )
    curve: tuple[Tried, ...]  # what no other setting beats in both samples and bits
    others: tuple[Tried, ...]  # all settings that were compared, for a picture
    misjudged: tuple[Misjudged, ...]
    impossible: tuple[tuple[float, str], ...]  # factors by which the guess cannot be wrong, and why
    rewards: str  # what was simulated, in words
    tried: int  # measurements of settings
    seed: int

    @property
    def words(self) -> dict[str, Any]:
        """The scheme's words, for `identify(**plan.words, …)`."""
        return self.setting.words

    def to_toml(self) -> str:
        """The [scheme] table for a problem file."""
        return self.setting.to_toml()

    def to_json(self) -> dict[str, Any]:
        """Plain types, ready for `json.dumps`."""
        question, prices = self.question, self.question.prices
        return {
            "scheme": self.words,
            **{word: self.words[word] for word in ("quantizer", "policy", "width", "growth")},
            "guarantee": self.guarantee.delta,
            "guarantee_reason": self.guarantee.reason,
            **self.figures.to_json(),
            "lower_bound_samples": self.lower_bound,
            "curve": [{"scheme": it.setting.words, **it.figures.to_json()} for it in self.curve],
            "if_gaps_were": [it.to_json() for it in self.misjudged],
            "arms": question.arms,
            "delta": question.delta,
            "sigma": question.sigma,
            "bounds": question.bounds,
            "epsilon": question.epsilon,
            "guess": question.guess.to_json(),
            "fixed": question.fixed.words,
            "rewards": self.rewards,
            "prices": {
                "per_bit": prices.per_bit,
                "per_message": prices.per_message,
                "per_pull": prices.per_pull,
                "per_round": prices.per_round,
                "per_frame_unit": prices.per_frame_unit,
                "link": None if prices.link is None else prices.link.name,
                "frame_unit": None if prices.link is None else unit_of(prices.link),
            },
            "tried": self.tried,
            "seed": self.seed,
        }


def plan(
    arms: int | None = None,
    *,
    gap: float | None = None,
    gaps: Sequence[float] | None = None,
    gap_prior: str | GapPrior | None = None,
    delta: float = DEFAULT_DELTA,
    sigma: float | None = None,
    bounds: Bounds | None = None,
    epsilon: float = 0.0,
    rewards: str | None = None,
    offset: float | None = None,
    per_bit: float = 0.0,
    per_message: float = 0.0,
    per_pull: float = 0.0,
    per_round: float = 0.0,
    link: str | None = None,
    per_frame_unit: float | None = None,
    seed: int | None = None,
    progress: Progress = lambda what, done: None,
    **words: Any,
) -> Plan:
    """The setting of least expected cost for a problem that is not yet deployed.

    The gaps are guessed as one number for all arms (`gap`), as a list (`gaps`, which also gives
    the number of arms) or by a prior (`gap_prior`, such as "uniform:0.05:0.5"). Prices are in any
    one currency. A `link` gives every message the price of its frames, both ways: `per_frame_unit`
    (by default 1) for a second of air time, or for a byte where the link has no data rate.

    `words` are others of a problem file (docs/words.md). Those of the scheme fix what the plan may
    not vary: `quantizer="icq", bits=2` plans among settings of icq with two bits. Limits
    (max_rounds, max_samples, max_bits) shorten frames on a link. A scheme without a proof is
    planned only if its words name it; the plan's guarantee is then None, with the reason.
    """
    problem, scheme, limits = split(words, beside=_PARAMETERS)
    refuse_unplanned({**problem, **scheme})
    question = question_of(
        arms,
        prices=prices_of(
            per_bit=per_bit,
            per_message=per_message,
            per_pull=per_pull,
            per_round=per_round,
            link=link,
            per_frame_unit=per_frame_unit,
        ),
        gap=gap,
        gaps=gaps,
        gap_prior=gap_prior,
        delta=delta,
        sigma=sigma,
        bounds=bounds,
        epsilon=epsilon,
        rewards=rewards,
        offset=offset,
        limits=Limits(**typed(limits, LIMITS, "[limits]")),
        fixed=fixed_words(scheme),
    )
    seed = new_seed() if seed is None else seed
    check_seed(seed)
    return _planned(question, seed, progress)


_PARAMETERS = [name for name in inspect.signature(plan).parameters if name != "words"]


def _planned(question: Question, seed: int, progress: Progress) -> Plan:
    gauge = Gauge(question, seed)
    fit = Fit(question, gauge.spec_of)
    admission = Admission(question.fixed, gauge.claim_of)
    search = Search(
        gauge=gauge,
        fit=fit,
        admits=admission.admits,
        progress=lambda: progress("settings", gauge.tried),
    )
    search.explore(admission.starts(coarse(question)))
    curve = _curve(search, progress)
    best = search.settle()
    figures, simulated = _measured_exactly(gauge, best)
    claim = gauge.claim_of(best.setting)
    if claim.delta is None and not question.fixed.items:
        raise AssertionError(f"a setting without a proof was searched: {claim.reason}")
    misjudged, impossible, tried = [], [], gauge.tried
    for factor in FACTORS:
        try:
            other = question.if_gaps_were(factor)
        except ConfigError as error:
            impossible.append((factor, str(error)))
            continue
        there = Gauge(other, seed)
        before = tried

        def told(there: Gauge = there, before: int = before) -> None:
            progress("settings if the guess is wrong", before + there.tried)

        misjudged.append(_misjudged(there, search, best, factor, told))
        tried += there.tried
    return Plan(
        question=question,
        setting=best.setting,
        figures=figures,
        guarantee=claim,
        lower_bound=_least_samples(gauge),
        curve=curve,
        others=tuple(search.screened.values()),
        misjudged=tuple(misjudged),
        impossible=tuple(impossible),
        rewards=simulated,
        tried=tried,
        seed=seed,
    )


def _curve(search: Search, progress: Progress) -> tuple[Tried, ...]:
    """The trade-off among all settings that were tried, each measured as well as the others."""
    for weight in _WEIGHTS:

        def traded(figures: Figures, weight: float = weight) -> float:
            bits = figures.payload_bits.mean
            return math.exp(weight * math.log(figures.samples.mean) + (1 - weight) * math.log(bits))

        first = min(search.screened.values(), key=lambda it: traded(it.figures))
        start = search.compare(first.setting)
        if start is not None:
            search.climb(start, traded)
    rough = {**search.screened, **search.compared}
    near = thinned(front(near_front(list(rough.values()))), _CURVE_MEASURED)
    measured = [search.compare(it.setting) for it in near]
    settled = front([*(it for it in measured if it is not None), *search.compared.values()])
    progress("settings", search.gauge.tried)
    return tuple(thinned(settled, _CURVE))


def _misjudged(
    there: Gauge, search: Search, best: Tried, factor: float, told: Callable[[], None]
) -> Misjudged:
    """What the plan costs if the gaps are others, and what one would have chosen for them."""
    planned = there.measure(best.setting, there.bank(3, FINAL))
    good = sorted(search.compared.values(), key=lambda it: it.score)[:_STARTS_AGAIN]
    starts = [best.setting, *(rescaled(it.setting, factor, there.question) for it in good)]
    again = Search(gauge=there, fit=search.fit, admits=search.admits, progress=told)
    again.explore(dict.fromkeys(starts))
    known = again.settle()
    if planned is not None and planned.score < known.score:
        known = Tried(setting=best.setting, figures=planned)
    return Misjudged(factor=factor, planned=planned, best=known)


def _measured_exactly(gauge: Gauge, best: Tried) -> tuple[Figures, str]:
    """The figures of the plan, with rewards drawn one by one where a search could not."""
    rewards = gauge.question.rewards
    described = rewards.describe()
    if rewards.family != "beta":
        return best.figures, described
    runs = int(_EXACT_DRAWS / best.figures.samples.mean)
    if runs >= _LEAST_EXACT:
        each = min(FINAL.runs, max(1, runs // FINAL.environments))
        effort = Effort(environments=min(FINAL.environments, runs), runs=each)
        exact = gauge.measure(best.setting, gauge.bank(4, effort, exact=True))
        if exact is not None:
            return exact, described
    return best.figures, f"{described}, their sums drawn as normal ones"


def _least_samples(gauge: Gauge) -> float:
    """The lower bound on expected samples, averaged over environments of the guess."""
    question = gauge.question
    bank = gauge.bank(5, _BOUND_ENVIRONMENTS)
    sigma = question.sigma / question.unit
    bounds = [
        lower_bound(environment.means.tolist(), sigma=sigma, delta=question.delta).samples
        for environment in bank.environments
    ]
    return float(np.mean(bounds))
