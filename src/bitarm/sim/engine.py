"""Runs schemes over a block of trials: kernels where there is a twin, the machines where not.

Every scheme of a block reads the same tape, which grows only where a trial still needs it.
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import reduce
from typing import final

import numpy as np

from bitarm.core.confidence import Stride
from bitarm.core.policy import tolerance_of
from bitarm.core.setup import Setup
from bitarm.errors import ConfigError, RewardError
from bitarm.sim.environment import Environment, environment_arrays, fill, right_arms
from bitarm.sim.kernels import challenge, challenge_race, elimination, indexed
from bitarm.sim.kernels.arrays import Floats, Integers, OutputArrays
from bitarm.sim.kernels.status import STARVED, TOO_FAR
from bitarm.sim.machines import run_machines
from bitarm.sim.tables import Table, table_of
from bitarm.sim.tape import Tape, empty_tape
from bitarm.sim.trials import Trials, blank
from bitarm.sim.twins import checkpoints, has_twin, is_bet_on

TapeWatch = Callable[[Tape], None]

_TAPE_BYTES = 1 << 22  # a block's tape stays near the processor's cache
_STATE_BYTES = 1 << 23  # what a block without a tape may hold


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trace:
    """What happened inside trials, for comparing a kernel with the machines.

    `number` is what a word says: the bin (ICQ, FED-SEL), the level (QuBan), the steps (D-ICQ) or
    the mean itself (exact). It is not a number where there was no message, or where an arm said
    that it gives up. Elimination by challenge leaps, so Golomb's divisor depends on the trial, and
    only there `divisor` is filled in, with the spread that was told (`kernels/challenge_answers`).
    """

    mean: Floats  # [trial, message, arm] decoded means
    nbits: Integers  # [trial, message, arm] lengths of words
    number: Floats  # [trial, message, arm] what the words say
    divisor: Floats  # [trial, message, arm] of the words' code, with elimination by challenge
    dropped: Integers  # [trial, arm] the round in which the arm fell, 0 if it did not


@final
class Engine:
    """Runs a fixed list of schemes in one environment, block after block.

        engine = Engine([setup], environment_of(models))
        trials = engine.run(rng, engine.block)[0]
        trials.samples.mean()

    `most_bits` is the longest answer that the agents' link carries. Kernels know no such limit, so
    schemes that ask again, for what did not fit, are run by the machines then.

    Raises ConfigError if a scheme has another number of arms than the environment.
    """

    def __init__(
        self, setups: Sequence[Setup], environment: Environment, most_bits: int | None = None
    ) -> None:
        for setup in setups:
            if len(setup.spec.arms) != environment.p.size:
                raise ConfigError(
                    f"a scheme for {len(setup.spec.arms)} arms met {environment.p.size} models"
                )
        self._setups = setups
        self._environment = environment
        self._most_bits = most_bits
        self._tables = [
            table_of(setup)
            if _has_kernel(setup, environment) and not self._asks_again(setup)
            else None
            for setup in setups
        ]
        self._grid = union_grid(setups)
        self._arrays = environment_arrays(environment, self._grid)

    @property
    def has_kernels(self) -> bool:
        """Whether a kernel runs each of the schemes; otherwise the machines run some of them."""
        return None not in self._tables

    @property
    def block(self) -> int:
        """Trials to run at once: as many as keep memory small, whatever the number of arms."""
        arms = self._environment.p.size
        if self._forgets:
            return max(1, _STATE_BYTES // (8 * 2 * arms))
        return max(1, _TAPE_BYTES // (8 * 2 * arms * self._grid.size))

    @property
    def _forgets(self) -> bool:
        """Whether sums are used and forgotten: with one scheme, nothing is read twice."""
        return (
            len(self._tables) == 1 and self._tables[0] is not None and not self._environment.sampled
        )

    def _asks_again(self, setup: Setup) -> bool:
        """Whether a scheme's runs depend on the longest answer of the link."""
        return self._most_bits is not None and setup.spec.quantizer.asks_again

    def elsewhere(self, environment: Environment) -> "Engine":
        """An engine for the same schemes in another environment with as many arms; it shares their
        tables.
        """
        before, after = self._environment.p.size, environment.p.size
        if before != after:
            raise ConfigError(f"an environment of {before} arms was left for {after}")
        if environment.sampled and not self._environment.sampled:
            # some may have no kernel there
            return Engine(self._setups, environment, self._most_bits)
        other = copy(self)
        other._environment = environment
        other._arrays = environment_arrays(environment, self._grid)
        return other

    def run(
        self, rng: np.random.Generator, trials: int, watch: TapeWatch | None = None
    ) -> list[Trials]:
        """`trials` new trials of every scheme, paired: trial i has the same rewards in each.

        `watch` is shown the tape when all schemes have read it.
        """
        kept = 1 if self._forgets else trials
        drawn = trials if any(map(_draws_priors, self._setups)) else kept
        units = rng.random((drawn, self._environment.p.size))
        tape = empty_tape(self._grid, trials=kept, messages=self._grid.size, units=units[:kept])
        results = [
            run_machines(setup, tape, self._environment, rng, self._most_bits)
            if table is None
            else self._kernel(
                setup, table, tape, units, rng, trials=trials, stored=not self._forgets
            )
            for setup, table in zip(self._setups, self._tables, strict=True)
        ]
        if watch is not None:
            watch(tape)
        return results

    def run_tape(self, tape: Tape, rng: np.random.Generator) -> list[tuple[Trials, Trace]]:
        """Every scheme on a given tape, with what happened inside.

        The tape grows where it is too short, by draws from the environment. Every scheme needs a
        kernel.
        """
        if tape.arms != self._environment.p.size:
            raise ConfigError(
                f"the tape has {tape.arms} arms, the schemes {self._environment.p.size}"
            )
        if not np.array_equal(tape.grid, self._grid):
            raise ConfigError(f"these schemes need a tape with the grid {self._grid.tolist()}")
        results = []
        for setup, table in zip(self._setups, self._tables, strict=True):
            if table is None:
                raise ConfigError(f"{setup.policy.name} with these settings has no kernel")
            trace = _blank_trace(tape, table)
            trials = self._kernel(
                setup, table, tape, tape.units, rng, trials=tape.trials, stored=True, trace=trace
            )
            results.append((trials, trace))
        return results

    def _kernel(
        self,
        setup: Setup,
        table: Table,
        tape: Tape,
        units: Floats,
        rng: np.random.Generator,
        *,
        trials: int,
        stored: bool,
        trace: Trace | None = None,
    ) -> Trials:
        out = blank(trials)
        todo = np.arange(trials)
        while todo.size:
            self._call(setup, table, tape, units, rng, todo, out, stored=stored, trace=trace)
            if np.any(out.outcome == TOO_FAR):
                raise RewardError("a mean is too far from 0 to be quantized in steps of its width")
            todo = np.flatnonzero(out.outcome == STARVED)  # these need a longer tape
            self._feed(tape, rng, todo)
        return out

    def _feed(self, tape: Tape, rng: np.random.Generator, trials: Integers) -> None:
        """Draw, in Python, the cells for want of which trials starved."""
        for trial in trials.tolist():
            for arm in np.flatnonzero(tape.wanted[trial] > tape.filled[trial]).tolist():
                fill(tape, self._environment, rng, trial, arm, int(tape.wanted[trial, arm]))

    def _call(
        self,
        setup: Setup,
        table: Table,
        tape: Tape,
        units: Floats,
        rng: np.random.Generator,
        todo: Integers,
        out: Trials,
        *,
        stored: bool,
        trace: Trace | None,
    ) -> None:
        """Run the kernel on some trials, from their beginning."""
        cell_of = np.searchsorted(self._grid, table.pulls)
        shown = trace or _NO_TRACE
        right = right_arms(self._environment.means, tolerance_of(setup.policy))
        scheme = table.arrays(
            start=start_means(setup, units), cell_of=cell_of, right=right.astype(np.int64)
        )
        output = OutputArrays(
            table=out.table,
            mean=shown.mean,
            nbits=shown.nbits,
            number=shown.number,
            divisor=shown.divisor,
            dropped=shown.dropped,
        )
        given = rng, todo, self._arrays, tape.arrays(), scheme
        arms, gaussian = self._environment.p.size, self._environment.gaussian
        if table.challenge is not None:
            kept = stored and not is_bet_on(setup)  # single rewards are on no tape
            race = challenge_race.blank_race(arms)
            run = challenge.compiled()
            run(*given, gaussian, kept, table.challenge, race, output)
        elif table.policy is not None:
            run = indexed.compiled(gaussian=gaussian, stored=stored)
            run(*given, table.pairs, indexed.blank_race(arms), output)
        else:
            run = elimination.compiled(gaussian=gaussian, stored=stored)
            run(*given, elimination.blank_race(arms), output)


def union_grid(setups: Sequence[Setup]) -> Integers:
    """All checkpoints of all schemes that have a kernel."""
    grids = [np.array(checkpoints(setup), dtype=np.int64) for setup in setups]
    return reduce(np.union1d, grids).astype(np.int64)


def start_means(setup: Setup, units: Floats) -> Floats:
    """μ̃_0 as learner and agent would hold it: a row a trial, or one row for all."""
    drawn_from = setup.spec.quantizer.prior_range(setup.spec.bounds)
    if drawn_from is not None:
        a, b = drawn_from
        return np.minimum(b, a + (b - a) * units)
    return np.full((1, units.shape[1]), setup.spec.start(0).mean)


def _has_kernel(setup: Setup, environment: Environment) -> bool:
    """Whether a scheme's kernel can draw the rewards: not where agents look at single ones of a
    function in Python.
    """
    return has_twin(setup) and not (environment.sampled and setup.policy.stride is Stride.JUDGED)


def _draws_priors(setup: Setup) -> bool:
    return setup.spec.quantizer.prior_range(setup.spec.bounds) is not None


def _blank_trace(tape: Tape, table: Table) -> Trace:
    shape = tape.trials, table.pulls.size, tape.arms
    return Trace(
        mean=np.full(shape, np.nan),
        nbits=np.zeros(shape, dtype=np.int64),
        number=np.full(shape, np.nan),
        divisor=np.zeros(shape),
        dropped=np.zeros((tape.trials, tape.arms), dtype=np.int64),
    )


_NO_TRACE = Trace(
    mean=np.empty((0, 0, 0)),
    nbits=np.empty((0, 0, 0), dtype=np.int64),
    number=np.empty((0, 0, 0)),
    divisor=np.empty((0, 0, 0)),
    dropped=np.empty((0, 0), dtype=np.int64),
)
