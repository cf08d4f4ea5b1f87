"""`identify`: find the best arm in one process, over the embedded channel."""

import hashlib
import warnings
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from bitarm.api.arms import Arms, sources_of
from bitarm.api.caveats import check_data, data_caveats, sigma_caveats
from bitarm.api.identification import Identification, identification_of
from bitarm.api.problem import Problem
from bitarm.api.scheme import build
from bitarm.api.words import seed_of, split
from bitarm.core.budget import has_phases
from bitarm.core.journal import Journal, Watcher
from bitarm.core.learner import Learner
from bitarm.core.policy import Policy
from bitarm.core.quantizer import Quantizer
from bitarm.core.rewards import RewardSource
from bitarm.core.schedule import MAX_PULLS, RecordedSchedule
from bitarm.core.setup import Setup
from bitarm.core.vocabulary import vocabulary
from bitarm.core.words import flag
from bitarm.errors import ConfigError
from bitarm.links.fit import on_link
from bitarm.links.profiles import Link
from bitarm.rewards.draws import ModelSource
from bitarm.rewards.recorded import RecordedSource
from bitarm.runtime.embedded import EmbeddedRun
from bitarm.store import MemoryJournal
from bitarm.wire.frames.short import most_symbol_bits


def identify(
    arms: Arms,
    *,
    # what is asked, and what is known of the rewards
    delta: float | None = None,
    sigma: float | None = None,
    bounds: tuple[float, float] | None = None,
    epsilon: float | None = None,
    pull_budget: int | None = None,
    bit_budget: int | None = None,
    clip: bool = False,
    # the scheme
    quantizer: str | Quantizer | None = None,
    bits: int | None = None,
    prior: Literal["uniform", "midpoint", "lower", "quban"] | None = None,
    epsilon_quban: float | None = None,
    kappa: float | None = None,
    kappa_first: float | None = None,
    kappa_cut: float | None = None,
    kappa_pilot: float | None = None,
    kappa_place: float | None = None,
    policy: str | Policy | None = None,
    start: int | None = None,
    cap: float | None = None,
    patience: float | None = None,
    behind: float | None = None,
    aim: float | None = None,
    width: str | None = None,
    interval_delta: float | None = None,
    growth: float | None = None,
    first: int | None = None,
    checkpoints: Sequence[int] | None = None,
    # limits
    max_rounds: int | None = None,
    max_samples: int | None = None,
    max_bits: int | None = None,
    # this run
    seed: int | None = None,
    journal: Journal | None = None,
    watch: Watcher | None = None,
) -> Identification:
    """Name the arm with the highest mean reward, wrong with probability at most `delta`.

        rng = random.Random(1)
        arms = {"red": lambda: rng.gauss(0.2, 1), "blue": lambda: rng.gauss(0.7, 1)}
        result = bitarm.identify(arms, delta=0.05, sigma=1.0)
        result.best_arm_name, result.samples, result.payload_bits

    What is left at None gets its default, which docs/words.md lists. A word that does not apply to
    the chosen scheme is refused.

    Args:
        arms: the arms by name, in a list, or the columns of a table (pandas, Polars). Each is a
            function that returns one reward a call, an array, a column or a list of rewards, an
            iterator, or a RewardSource. Names become texts.
        delta: allowed probability of a wrong answer, by default 0.05; 1e-60 at the least.
        sigma: the rewards are sub-Gaussian with this parameter: a deviation that they do not
            exceed, if they are normal. Needed only where there are no bounds.
        bounds: the lowest and the highest reward that there can be.
        epsilon: tolerance, a difference of means: an arm this close to the best will do.
        pull_budget: pulls of all arms together, in place of delta: the answer is then a guess.
        bit_budget: payload bits of all arms together, beside pull_budget.
        clip: move rewards beyond the bounds to the bounds, which voids the guarantee.
        quantizer: how means are put into bits, by name or as a value: `Dicq(kappa=1.5)`. One of
            your own, or of another package, is given as a value.
        bits: bits of a message (icq, fed-sel).
        prior: what is held of an arm before its first message (icq).
        epsilon_quban: step of a mean, in deviations (quban).
        kappa: step of a mean, in deviations (dicq, dyadic).
        kappa_first: step of an arm's first mean.
        kappa_cut: step of a mean that survived a challenge (dyadic).
        kappa_pilot: step of the very first mean of all, where no σ is known (dyadic).
        kappa_place: step of a mean that may lead next (dyadic).
        policy: which arms are asked next and which fall, by name or as a value.
        start: least pulls before an arm first reports (challenge).
        cap: longest jump, as a factor of the pulls.
        patience: how much of a drop must be in sight to ask.
        behind: share of the leader's pulls at which an arm is to fall (challenge).
        aim: which arm is to fall: 0 the last, 0.5 the mean one, 1 the next (challenge).
        width: how large a lead must be.
        interval_delta: sizes icq's intervals under a budget, and guarantees nothing.
        growth: factor between two checkpoints.
        first: pulls up to the first checkpoint.
        checkpoints: the pulls at which arms may report, in place of growth and first.
        max_rounds: end after so many rounds.
        max_samples: end before more samples than this.
        max_bits: end before more payload bits than this.
        seed: for what the run draws itself (dithers, priors); by default one is drawn, and the
            result has it. It makes a run repeatable if the rewards are.
        journal: where events are kept; by default in memory.
        watch: called with events after they are kept.

    Returns:
        What became of the run. A limit that is reached, data that end and Ctrl-C are outcomes, not
        errors: the result then names no best arm, but a leader.

    Raises:
        ConfigError: for words that cannot be run.
        RewardError: for a reward that is no finite number or leaves the bounds.
        StoreError: if the journal fails.

    Warns:
        UserWarning: if recorded data contradict sigma.
    """
    given = _given(locals())
    seed = seed_of(seed)
    clip = flag("clip", clip)
    problem, scheme, limits = split(given)
    sources = sources_of(arms)
    setup = build(tuple(sources), seed=seed, problem=problem, scheme=scheme, limits=limits)
    return _warned(setup, list(sources.values()), clip=clip, journal=journal, watch=watch)


def _given(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The words among a call's parameters that were given; the others get their defaults."""
    words = vocabulary().words
    return {
        name: value for name, value in parameters.items() if name in words and value is not None
    }


def identify_problem(
    problem: Problem,
    *,
    seed: int | None = None,
    journal: Journal | None = None,
    watch: Watcher | None = None,
) -> Identification:
    """Name the best arm of a problem that was read from a file; else as `identify`.

        problem = bitarm.load_problem("antennas.toml")
        result = bitarm.identify_problem(problem, seed=1)

    Args:
        problem: the arms with their sources, and the words of the file's tables.
        seed: for what the run draws itself, rewards of models included; by default one is drawn,
            and the result has it.
        journal: where events are kept; by default in memory.
        watch: called with events after they are kept.

    Returns:
        What became of the run, as `identify` does.

    Raises:
        ConfigError: for words that cannot be run, or a source that cannot be opened.
        RewardError: for a reward that is no finite number or leaves the bounds, or a source that
            gives none.
        StoreError: if the journal fails.
    """
    seed = seed_of(seed)
    setup, sources = problem.setup(seed), problem.sources(seed)
    return _warned(setup, sources, clip=problem.clip, journal=journal, watch=watch)


def run_problem(
    problem: Problem,
    *,
    seed: int | None = None,
    journal: Journal | None = None,
    watch: Watcher | None = None,
    link: Link | None = None,
) -> tuple[int, Identification]:
    """Run a problem to its end; returns the run's number in the journal, and its result.

    With a `link`, as if its agents had that; ConfigError if it does not carry such a run.
    """
    seed = seed_of(seed)
    setup = problem.setup(seed)
    return run_setup(
        setup if link is None else on_link(link, setup),
        problem.sources(seed),
        clip=problem.clip,
        journal=journal,
        watch=watch,
        most_bits=None if link is None else most_symbol_bits(link.up.max_bytes),
    )


def run_setup(
    setup: Setup,
    sources: Sequence[RewardSource],
    *,
    clip: bool,
    journal: Journal | None,
    watch: Watcher | None,
    most_bits: int | None = None,
) -> tuple[int, Identification]:
    """Run a setup to its end; returns the run's number in the journal, and its result.

    `sources` has the rewards of each arm, in the order of the setup's arms. What their models or
    data say against σ voids the guarantee; data beyond the bounds are refused before the run.
    `most_bits` is the longest answer that the agents' link would carry.
    """
    _check_hooks(journal, watch)
    check_data(setup.spec, _recorded(sources), clip=clip)
    setup = _with_ends(setup, sources)
    journal = MemoryJournal() if journal is None else journal
    learner = Learner(setup, f"{setup.fingerprint:08x}-{_digest(sources)}")
    embedded = EmbeddedRun(
        learner,
        sources,
        journal,
        clip=clip,
        watch=watch or (lambda events: None),
        most_bits=most_bits,
    )
    run = embedded.run(caveats=_caveats(setup, sources))
    return run, identification_of(entry.event for entry in journal.read(run))


def _check_hooks(journal: Any, watch: Any) -> None:
    if journal is not None and not callable(getattr(journal, "open_run", None)):
        raise ConfigError(
            f"journal must be a journal, got {journal!r:.80}: for one in a file, give "
            "bitarm.store.SqliteJournal.open(path)"
        )
    if watch is not None and not callable(watch):
        raise ConfigError(f"watch must be a function of events, got {watch!r:.80}")


def _warned(
    setup: Setup,
    sources: Sequence[RewardSource],
    *,
    clip: bool,
    journal: Journal | None,
    watch: Watcher | None,
) -> Identification:
    """Run for a program, which reads no log: what its data say against σ is a warning."""
    check_data(setup.spec, _recorded(sources), clip=clip)
    for caveat in data_caveats(setup.spec, _recorded(sources)):
        warnings.warn(f"no guarantee: {caveat}", stacklevel=3)
    return run_setup(setup, sources, clip=clip, journal=journal, watch=watch)[1]


def _caveats(setup: Setup, sources: Sequence[RewardSource]) -> list[str]:
    """What is known of the rewards against an assumption of the guarantee."""
    models = [source.model for source in sources if isinstance(source, ModelSource)]
    return [*sigma_caveats(setup.spec, models), *data_caveats(setup.spec, _recorded(sources))]


def _with_ends(setup: Setup, sources: Sequence[RewardSource]) -> Setup:
    """The setup with what is known of recorded rewards before the run: how many there are."""
    if not _recorded(sources) or has_phases(setup.policy):  # a budget says when each arm is asked
        return setup
    rows = tuple(
        source.left if isinstance(source, RecordedSource) else MAX_PULLS for source in sources
    )
    schedule = RecordedSchedule(grid=setup.spec.schedule, rows=rows)
    return replace(setup, spec=replace(setup.spec, schedule=schedule))


def _digest(sources: Sequence[RewardSource]) -> str:
    """A name of where rewards come from: equal settings on other data are another run."""
    digest = hashlib.blake2b(digest_size=4)
    for source in sources:
        if isinstance(source, RecordedSource):
            digest.update(array("d", source.rewards).tobytes())
        elif isinstance(source, ModelSource):
            digest.update(repr(source.model).encode())
        digest.update(type(source).__name__.encode())
    return digest.hexdigest()


def _recorded(sources: Sequence[RewardSource]) -> list[RecordedSource]:
    return [source for source in sources if isinstance(source, RecordedSource)]
