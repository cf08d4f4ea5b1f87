"""`plan`: the setting of least expected cost, what it will cost, and what if the guess is wrong."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from bitarm.api.default_scheme import DEFAULT_DELTA
from bitarm.api.problem import Problem
from bitarm.api.words import LIMITS, new_seed, split
from bitarm.core.bounds import Bounds
from bitarm.core.guarantee import Guarantee
from bitarm.core.limits import Limits
from bitarm.core.spec import check_seed
from bitarm.core.words import typed
from bitarm.planner.candidates import starting_settings
from bitarm.planner.figures import Figures
from bitarm.planner.fixed_words import fixed_words, refuse_unplanned
from bitarm.planner.guessed_gaps import GapPrior, gap_guess_of
from bitarm.planner.link_costs import LinkCheck
from bitarm.planner.planning_task import PlanningTask
from bitarm.planner.prices import prices_of
from bitarm.planner.scheme_words import NAMES, SchemeWords, toml_table
from bitarm.planner.search import FINAL, Admission, Search, Tried
from bitarm.planner.setting_simulator import SettingSimulator
from bitarm.planner.testbeds import Effort
from bitarm.planner.trade_off import trade_off, with_plan
from bitarm.planner.wrong_guess import Misjudged, misjudged, wrong_guesses
from bitarm.theory import lower_bound

PlanProgress = Callable[[str, int], None]
"""Told what is being done, and how many settings were measured so far."""

_EXACT_DRAWS = 4_000_000  # rewards that may be drawn one by one
_LEAST_EXACT = 64  # runs
_BOUND_ENVIRONMENTS = Effort(environments=64, runs=1)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The setting to use, what it will cost, and what else was found: the result of `plan`.

    `words` are for a call of `identify`, `to_toml` is for a problem file, `to_json` for a program.

    Attributes:
        task: what was planned for.
        setting: the cheapest setting.
        figures: what it costs over simulated runs, such as `figures.samples.mean`.
        guarantee: what may be claimed for its answers.
        lower_bound: on the expected samples of any sound strategy with Gaussian arms; the mean of
            the environments.
        curve: what no other setting beats in both samples and bits, and the plan.
        others: all settings that were screened, for a picture.
        misjudged: what if the guess is wrong: gaps half as large, and more.
        impossible: how the guess cannot be wrong, and why.
        rewards: what was simulated, in words.
        tried: how many measurements of settings were made.
        seed: gives the same plan again.
    """

    task: PlanningTask
    setting: SchemeWords
    figures: Figures
    guarantee: Guarantee
    lower_bound: float
    curve: tuple[Tried, ...]
    others: tuple[Tried, ...]
    misjudged: tuple[Misjudged, ...]
    impossible: tuple[tuple[str, str], ...]
    rewards: str
    tried: int
    seed: int

    @property
    def words(self) -> dict[str, Any]:
        """The scheme's words, for `identify(**plan.words, …)`."""
        return self.setting.words

    @property
    def downlinks(self) -> float:
        """Questions and dismissals of a run on average, one frame each."""
        return self.figures.messages.mean + self.task.dismissals(self.setting)

    @property
    def least_hours(self) -> float:
        """How long a run lasts at least: by the limits of the link, and by what a pull takes.

        That of an arm with its share of all pulls and reports; the best arm has more.
        """
        prices, figures, arms = self.task.prices, self.figures, self.task.arms
        return prices.pull_cost.least_hours(
            prices.link, pulls=figures.samples.mean / arms, reports=figures.messages.mean / arms
        )

    def to_toml(self) -> str:
        """The tables [problem] and [scheme] of a problem file: what was planned for, and the plan.

        The arms are to be added.
        """
        return toml_table("problem", self.task.problem_words()) + self.setting.to_toml()

    def to_json(self) -> dict[str, Any]:
        """Plain types, ready for `json.dumps`."""
        task = self.task
        return {
            "scheme": self.words,
            **{word: self.words[word] for word in NAMES},
            "guarantee": self.guarantee.delta,
            "guarantee_reason": self.guarantee.reason,
            "assumptions": list(self.guarantee.assumptions),
            **self.figures.to_json(),
            "lower_bound_samples": self.lower_bound,
            "downlinks": self.downlinks,
            "least_hours": self.least_hours,
            "curve": [tried.to_json() for tried in self.curve],
            "if_guess_is_wrong": [other.to_json() for other in self.misjudged],
            "arms": task.arms,
            "delta": task.delta,
            "sigma": task.sigma,
            "bounds": task.bounds,
            "epsilon": task.epsilon,
            "guess": task.guess.to_json(),
            "fixed": task.fixed.words,
            "rewards": self.rewards,
            "prices": task.prices.to_json(),
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
    mean: float | None = None,
    spread: float | None = None,
    per_bit: float = 0.0,
    per_message: float = 0.0,
    per_downlink: float = 0.0,
    per_pull: float = 0.0,
    per_round: float = 0.0,
    link: str | None = None,
    per_frame_unit: float | None = None,
    pull_packets: int | None = None,
    pull_seconds: float | None = None,
    seed: int | None = None,
    progress: PlanProgress = lambda what, done: None,
    **words: Any,
) -> Plan:
    """Find the setting of least expected cost for a problem that is not yet deployed.

    Settings are simulated with rewards that fit what is known; the cheapest is measured anew.

        made = bitarm.plan(8, gap=0.2, sigma=1.0, per_bit=1.0, per_pull=0.01)
        made.figures.samples.mean                  # what to expect of a run
        bitarm.identify(arms, sigma=1.0, **made.words)

    Say what is known of the problem (down to `spread`) and what things cost: prices are in any one
    currency, and at least one must be above 0.

    Args:
        arms: how many there are; a list of `gaps` says it as well.
        gap: a guess of how far the other arms are below the best, one number for all; or give
            `gaps` or `gap_prior`.
        gaps: the same, a number for each other arm.
        gap_prior: the same, a law such as "uniform:0.05:0.5".
        delta: as in `identify`.
        sigma: as in `identify`; rewards with bounds need none.
        bounds: as in `identify`.
        epsilon: as in `identify`.
        rewards: the family that is simulated, gaussian, bernoulli or beta; by default one that
            honours σ or the guess.
        offset: how far from 0 the best mean may lie, without bounds; by default 3σ.
        mean: with bounds and no σ, a guess of the best mean; by default the middle of the bounds,
            where arms are hardest to tell apart.
        spread: with bounds and no σ, a guess of the deviation of a reward; by default that of
            coins.
        per_bit: the price of a bit of payload.
        per_message: the price of a report.
        per_downlink: the price of a question or a dismissal, to a device that hears one arm's at
            a time. On a LoRaWAN link arms that gave up are not dismissed.
        per_pull: the price of a pull.
        per_round: the price of a round.
        link: gives every message the price of its frames, both ways, and leaves out what does not
            fit.
        per_frame_unit: the price of a second of air time, or of a byte where the link has no data
            rate; by default 1.
        pull_packets: packets that a pull itself sends over the link; they have the frames' price.
        pull_seconds: how long a pull takes; it says how long a run lasts at least.
        seed: makes the plan repeatable; by default one is drawn, and the plan has it.
        progress: called with what is being done and the number of settings measured so far.
        words: others of a problem file (docs/words.md). Those of the scheme fix what may not vary:
            `quantizer="icq", bits=2` plans among settings of icq with two bits. Limits
            (max_rounds, max_samples, max_bits) shorten frames on a link.

    Returns:
        The setting, and what it will cost. A scheme without a proof is planned only if its words
        name it; the plan's guarantee is then None, with the reason.

    Raises:
        ConfigError: if a value makes no sense, if no setting decides for these gaps, or if none
            fits the link.
    """
    problem, scheme, limits = split(words, beside=_PARAMETERS)
    refuse_unplanned({**problem, **scheme})
    task = PlanningTask.of(
        len(gaps) + 1 if arms is None and gaps else arms,
        guess=gap_guess_of(gap=gap, gaps=gaps, gap_prior=gap_prior),
        prices=prices_of(
            per_bit=per_bit,
            per_message=per_message,
            per_downlink=per_downlink,
            per_pull=per_pull,
            per_round=per_round,
            link=link,
            per_frame_unit=per_frame_unit,
            pull_packets=pull_packets,
            pull_seconds=pull_seconds,
        ),
        problem={"delta": delta, "sigma": sigma, "bounds": bounds, "epsilon": epsilon},
        rewards=rewards,
        offset=offset,
        mean=mean,
        spread=spread,
        limits=Limits(**typed(limits, LIMITS, "[limits]")),
        fixed=fixed_words(scheme),
    )
    seed = new_seed() if seed is None else seed
    check_seed(seed)
    return _planned(task, seed, progress)


_PARAMETERS = [name for name in inspect.signature(plan).parameters if name != "words"]


def plan_problem(problem: Problem, **words: Any) -> Plan:
    """Find the setting of least expected cost for the arms of a problem file.

        problem = bitarm.load_problem("antennas.toml")
        made = bitarm.plan_problem(problem, gap=0.05, per_bit=1.0, per_pull=0.01)

    Args:
        problem: what its [problem] and [limits] say is what is known of it. Its [scheme] says what
            has been used so far, and is left aside.
        words: arguments of `plan`, all but `arms`: they win over the file's.

    Returns:
        The setting, and what it will cost, as `plan` does.

    Raises:
        ConfigError: as `plan` does.
    """
    own = {word: value for word, value in problem.problem.items() if value is not None}
    limits = {f"max_{word}": limit for word, limit in problem.limits.items()}
    return plan(len(problem.arms), **{**own, **limits, **words})


def _planned(task: PlanningTask, seed: int, progress: PlanProgress) -> Plan:
    simulator = SettingSimulator(task, seed)
    admission = Admission(task.fixed, simulator.claim_of)
    search = Search(
        simulator=simulator,
        link_check=LinkCheck(task, simulator.spec_of),
        admits=admission.admits,
        after_each=lambda: progress("settings", simulator.tried),
    )
    search.explore(admission.starts(starting_settings(task)))
    curve = trade_off(search)
    best = search.settle()
    figures, simulated = _final_figures(search, best)
    claim = simulator.claim_of(best.setting)
    if claim.delta is None and not task.fixed.items:
        raise AssertionError(f"a setting without a proof was searched: {claim.reason}")
    tried, found = simulator.tried, list[Misjudged]()
    wrong, impossible = wrong_guesses(task)
    for guess in wrong:
        there = SettingSimulator(guess.task, seed)

        def told(there: SettingSimulator = there, before: int = tried) -> None:
            progress("settings if the guess is wrong", before + there.tried)

        found.append(misjudged(there, guess, search, best, told))
        tried += there.tried
    return Plan(
        task=task,
        setting=best.setting,
        figures=figures,
        guarantee=claim,
        lower_bound=_least_samples(simulator),
        curve=with_plan(curve, Tried(setting=best.setting, figures=figures)),
        others=tuple(search.screened.values()),
        misjudged=tuple(found),
        impossible=tuple(impossible),
        rewards=simulated,
        tried=tried,
        seed=seed,
    )


def _final_figures(search: Search, best: Tried) -> tuple[Figures, str]:
    """The figures of the plan, and which rewards were simulated for them, in words.

    They are measured with answers that the task's link carries, where it cuts some short; else with
    rewards drawn one by one, where a search could not.
    """
    task = search.simulator.task
    described = task.rewards.describe()
    cut = search.on_link(best.setting)
    figures = cut or best.figures
    if figures.stretch > 1:
        times = figures.stretch**0.5
        return figures, f"{described}, gaps {times:.3g} times as large, pulls counted up"
    if task.rewards.family != "beta" or (best.setting.is_judged and task.is_bet_on):
        return figures, described
    exact = _drawn_one_by_one(search.simulator, best) if cut is None else None
    if exact is None:
        return figures, f"{described}, their sums drawn as normal ones"
    return exact, described


def _drawn_one_by_one(simulator: SettingSimulator, best: Tried) -> Figures | None:
    """The figures with every reward drawn; None if those are too many."""
    runs = int(_EXACT_DRAWS / best.figures.samples.mean)
    if runs < _LEAST_EXACT:
        return None
    each = min(FINAL.runs, max(1, runs // FINAL.environments))
    effort = Effort(environments=min(FINAL.environments, runs), runs=each)
    return simulator.measure(best.setting, simulator.testbed(4, effort, exact=True))


def _least_samples(simulator: SettingSimulator) -> float:
    """The lower bound on expected samples, averaged over environments of the guess."""
    task = simulator.task
    testbed = simulator.testbed(5, _BOUND_ENVIRONMENTS)
    sigma = task.rewards.deviation if task.is_bet_on else task.valid_sigma / task.unit
    bounds = [
        lower_bound(environment.means.tolist(), sigma=sigma, delta=task.delta).samples
        for environment in testbed.plain.environments
    ]
    return float(np.mean(bounds))
