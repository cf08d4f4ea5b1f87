"""`identify`: find the best arm in one process, over the embedded channel."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bitarm.api.assumptions import sigma_caveats
from bitarm.api.problem import Problem
from bitarm.api.scheme import build
from bitarm.api.words import flag, split
from bitarm.core.journal import Journal, Watcher
from bitarm.core.learner import Learner
from bitarm.core.result import RunResult, result_of
from bitarm.core.rewards import RewardSource
from bitarm.core.setup import Setup
from bitarm.core.standings import Standings
from bitarm.errors import ConfigError
from bitarm.rewards.callables import CallableSource
from bitarm.rewards.draws import ModelSource
from bitarm.runtime.embedded import EmbeddedRun
from bitarm.store import MemoryJournal

Reward = Callable[[], float]


def identify(
    arms: Mapping[str, Reward | RewardSource],
    *,
    seed: int | None = None,
    clip: bool = False,
    journal: Journal | None = None,
    watch: Watcher | None = None,
    **words: Any,
) -> RunResult:
    """Name the arm with the highest mean reward, wrong with probability at most `delta`.

        rng = random.Random(1)
        arms = {"red": lambda: rng.gauss(0.2, 1), "blue": lambda: rng.gauss(0.7, 1)}
        result = bitarm.identify(arms, delta=0.05, sigma=1.0)
        result.best_arm_name, result.samples, result.payload_bits

    Args:
        arms: the arms by name, each a function that returns one reward a call, or a RewardSource.
        seed: for what the run draws itself (dithers, priors); by default one is drawn, and the
            result has it. It makes a run repeatable if the rewards are.
        clip: move rewards beyond the bounds to the bounds, which voids the guarantee.
        journal: where events are kept; by default in memory.
        watch: called with events after they are kept.
        words: those of a problem file (docs/words.md). Of [problem]: delta (by default 0.05),
            sigma, bounds, epsilon; one of sigma and bounds is needed. Of [scheme]: quantizer,
            policy, width and their own words. Of [limits]: max_rounds, max_samples, max_bits. A
            quantizer or a policy may also be a value, `quantizer=Dicq(kappa=1.5)`, one of your own
            too.

    Returns what became of the run. A limit that is reached is an outcome, not an error: the result
    then names no best arm. Raises ConfigError for words that cannot be run, RewardError for a
    reward that is no finite number or leaves the bounds, StoreError if the journal fails.
    """
    seed = new_seed() if seed is None else seed
    clip = flag("clip", clip)
    problem, scheme, limits = split(words)
    setup = build(tuple(arms), seed=seed, problem=problem, scheme=scheme, limits=limits)
    sources = [_as_source(name, reward) for name, reward in arms.items()]
    return run_setup(setup, sources, clip=clip, journal=journal, watch=watch)[1]


def identify_problem(
    problem: Problem,
    *,
    seed: int | None = None,
    journal: Journal | None = None,
    watch: Watcher | None = None,
) -> RunResult:
    """Name the best arm of a problem that was read from a file; else as `identify`.

    problem = bitarm.load_problem("antennas.toml")
    result = bitarm.identify_problem(problem, seed=1)
    """
    return run_problem(problem, seed=seed, journal=journal, watch=watch)[1]


def run_problem(
    problem: Problem,
    *,
    seed: int | None = None,
    journal: Journal | None = None,
    watch: Watcher | None = None,
) -> tuple[int, RunResult]:
    """Run a problem to its end; returns the run's number in the journal, and its result."""
    seed = new_seed() if seed is None else seed
    setup = problem.setup(seed)
    return run_setup(setup, problem.sources(seed), clip=problem.clip, journal=journal, watch=watch)


def run_setup(
    setup: Setup,
    sources: Sequence[RewardSource],
    *,
    clip: bool,
    journal: Journal | None,
    watch: Watcher | None,
) -> tuple[int, RunResult]:
    """Run a setup to its end; returns the run's number in the journal, and its result.

    `sources` has the rewards of each arm, in the order of the setup's arms. What their models say
    against σ voids the guarantee.
    """
    journal = MemoryJournal() if journal is None else journal
    learner = Learner(setup)
    embedded = EmbeddedRun(
        learner, sources, journal, clip=clip, watch=watch or (lambda events: None)
    )
    run = embedded.run(caveats=_caveats(setup, sources))
    return run, result_of(Standings.of(entry.event for entry in journal.read(run)))


def new_seed() -> int:
    """A seed from the system, short enough to type again."""
    return secrets.randbits(32)


def _as_source(name: str, reward: Reward | RewardSource) -> RewardSource:
    if callable(reward):
        return CallableSource(reward, label=name)
    if not callable(getattr(reward, "pull", None)):
        raise ConfigError(f"arm {name!r} needs a function or a RewardSource, got {reward!r}")
    return reward


def _caveats(setup: Setup, sources: Sequence[RewardSource]) -> list[str]:
    """What the models of the rewards have against an assumption of the guarantee."""
    models = [source.model for source in sources if isinstance(source, ModelSource)]
    return sigma_caveats(setup.spec, models)
