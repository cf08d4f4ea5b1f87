"""Elimination by challenge: the twin of `core/policies/challenge.py` and of agents that judge.

`challenge_turns.py` says who is asked, `challenge_answers.py` what is answered.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from bitarm.sim.kernels.arrays import (
    ChallengeArrays,
    EnvironmentArrays,
    Integers,
    OutputArrays,
    SchemeArrays,
    TapeArrays,
)
from bitarm.sim.kernels.challenge_answers import answer
from bitarm.sim.kernels.challenge_race import Race, Turn, begin
from bitarm.sim.kernels.challenge_turns import (
    all_asked,
    challenges,
    drop,
    due_pulls,
    first_words,
    gone_ahead,
    is_decided,
    lead,
    leading,
)
from bitarm.sim.kernels.compilation import SOURCES_NUMBER, kernel
from bitarm.sim.kernels.status import (
    BEST,
    BITS,
    DECIDED,
    MESSAGES,
    MISSED,
    OUTCOME,
    ROUNDS,
    RUNNING,
    SAMPLE_LIMIT,
    SAMPLES,
    TOO_FAR,
    limit_passed,
    missed,
)


@lru_cache(maxsize=1)
def compiled() -> Callable[..., None]:
    """The kernel: trials of agents that bet, and of those that know σ.

    What `elimination.py` has as constants is told in the call: a look at evidence takes far longer
    than a branch, and this kernel takes longest to compile. For the same reason nothing is inlined
    but by the compiler: a function that is inlined beforehand has its types found in each place.
    """

    sources = SOURCES_NUMBER

    @kernel
    def run_trials(
        rng: np.random.Generator,
        todo: Integers,
        environment: EnvironmentArrays,
        tape: TapeArrays,
        scheme: SchemeArrays,
        gaussian: bool,
        stored: bool,
        arrays: ChallengeArrays,
        race: Race,
        output: OutputArrays,
    ) -> None:
        _ = sources  # a constant of the kernel: see kernels/compilation.py
        shown = output.mean.size > 0
        for x in range(todo.size):
            trial = todo[x]
            alive, best = begin(race, arrays.rules.bounded), -1
            rounds = counted = bits = 0
            stage = 0  # the pilot, two more, the rest; then the leader and its challengers
            turn = Turn(trial, 0, 0.0, 0.0, 0.0, 0, 0, 0, -1)
            while True:
                outcome = RUNNING
                if stage < 3:
                    turn = first_words(race, arrays, trial, stage)
                    stage = 3 if all_asked(race) else stage + 1
                else:
                    dropped = output.dropped[trial if shown else 0]
                    alive = drop(race, alive, arrays, rounds, dropped)
                    if is_decided(race, alive, arrays):
                        outcome, best = DECIDED, leading(race, alive)
                        break
                    going, ahead = 0, gone_ahead(race, alive, arrays)
                    if ahead >= 0:
                        turn = challenges(race, alive, ahead, arrays, trial)
                        for place in range(alive):
                            going += 1 if race.arms[race.active[place]].asked >= 0 else 0
                    if going == 0:
                        turn = lead(race, alive, arrays, trial)
                        if turn.checkpoint == arrays.pulls.size:
                            outcome = SAMPLE_LIMIT
                            break
                going, due = due_pulls(race, alive, arrays, turn)
                outcome = limit_passed(scheme.limits, rounds + 1, counted + due, bits + going)
                if outcome != RUNNING:
                    break
                rounds += 1
                counted += due
                coded = True
                for place in range(alive):
                    number = race.active[place]
                    arm = race.arms[number]
                    if arm.asked < 0:
                        continue
                    nbits, steps, detail, codes = answer(
                        race, number, rng, environment, tape, scheme.cell_of, arrays, turn,
                        gaussian, stored,
                    )  # fmt: skip
                    bits += nbits
                    coded = coded and codes
                    if shown:
                        n = arm.messages
                        output.mean[trial, n, number] = arm.mean
                        output.nbits[trial, n, number] = nbits
                        output.number[trial, n, number] = steps
                        output.divisor[trial, n, number] = detail
                    arm.messages += 1
                    arm.asked = -1
                if not coded:
                    outcome = TOO_FAR
                    break
            samples = messages = 0
            for number in range(race.arms.size):
                arm = race.arms[number]
                samples += arrays.pulls[arm.at] if arm.at >= 0 else 0
                messages += arm.messages
            row = output.table[trial]
            row[ROUNDS], row[SAMPLES], row[BITS] = rounds, samples, bits
            row[BEST], row[OUTCOME], row[MESSAGES] = best, outcome, messages
            row[MISSED] = missed(race.active, alive, scheme.right)

    return run_trials
