"""Elimination by challenge: the twin of `core/policies/challenge.py` and of agents that judge.

`challenge_turns.py` says who is asked, `challenge_answers.py` what is answered.
"""

from functools import lru_cache
from typing import Any

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


@lru_cache(maxsize=2)
def compiled(*, bounded: bool) -> Any:
    """A kernel compiled for agents that bet, or for those that know σ.

    What `elimination.py` has as constants is told in the call: a look at evidence takes far longer
    than a branch, and this kernel takes longest to compile.
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
        duel: ChallengeArrays,
        race: Race,
        output: OutputArrays,
    ) -> None:
        _ = sources  # a constant of the kernel: see kernels/compilation.py
        shown = output.mean.size > 0
        for x in range(todo.size):
            trial = todo[x]
            alive, best = begin(race), -1
            rounds = counted = bits = 0
            stage = 0  # the pilot, two more, the rest; then the leader and its challengers
            checkpoint = duel.checkpoint
            turn = Turn(trial, checkpoint, 0.0, 0.0, 0.0, 0, 0, 0, -1)
            while True:
                outcome = RUNNING
                if stage < 3:
                    turn = first_words(race, duel, scheme, trial, stage, bounded)
                    stage = 3 if all_asked(race) else stage + 1
                else:
                    alive = drop(race, alive, duel, scheme, output, trial, rounds, bounded, shown)
                    if is_decided(race, alive, duel, scheme, bounded):
                        outcome, best = DECIDED, leading(race, alive)
                        break
                    going, ahead = 0, gone_ahead(race, alive, bounded)
                    if ahead >= 0:
                        turn = challenges(race, alive, ahead, duel, scheme, trial, bounded)
                        for a in range(alive):
                            going += 1 if race.turn[race.active[a]] >= 0 else 0
                    if going == 0:
                        turn = lead(race, alive, duel, scheme, trial, bounded)
                        if turn.checkpoint == scheme.pulls.size:
                            outcome = SAMPLE_LIMIT
                            break
                until = scheme.pulls[turn.checkpoint]
                going = due = 0
                for a in range(alive):
                    arm = race.active[a]
                    if race.turn[arm] >= 0:
                        going += 1
                        due += until - (scheme.pulls[race.told[arm]] if race.told[arm] >= 0 else 0)
                outcome = limit_passed(scheme.limits, rounds + 1, counted + due, bits + going)
                if outcome != RUNNING:
                    break
                rounds += 1
                counted += due
                coded = True
                for a in range(alive):
                    arm = race.active[a]
                    if race.turn[arm] < 0:
                        continue
                    nbits, steps, detail, codes = answer(
                        race, arm, rng, environment, tape, scheme, duel, turn,
                        bounded, gaussian, stored,
                    )  # fmt: skip
                    bits += nbits
                    coded = coded and codes
                    if shown:
                        n = race.messages[arm]
                        output.mean[trial, n, arm] = race.mean[arm]
                        output.nbits[trial, n, arm] = nbits
                        output.number[trial, n, arm] = steps
                        output.divisor[trial, n, arm] = detail
                    race.messages[arm] += 1
                    race.turn[arm] = -1
                if not coded:
                    outcome = TOO_FAR
                    break
            samples = 0
            for arm in range(race.mean.size):
                samples += scheme.pulls[race.at[arm]] if race.at[arm] >= 0 else 0
            row = output.table[trial]
            row[ROUNDS], row[SAMPLES], row[BITS] = rounds, samples, bits
            row[BEST], row[OUTCOME], row[MESSAGES] = best, outcome, race.messages.sum()
            row[MISSED] = missed(race.active, alive, scheme.right)

    return run_trials
