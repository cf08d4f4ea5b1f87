"""Trials through the real machines, on the same tapes: the slow twin of every kernel.

For schemes without a kernel, and for checking those that have one.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bitarm.core.agent import Agent
from bitarm.core.events import LearnerEvent
from bitarm.core.learner import Learner
from bitarm.core.messages import Dismiss, Request
from bitarm.core.policy import tolerance_of
from bitarm.core.quantizer import Occasion
from bitarm.core.race import DitherOf
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.sim.environment import Environment, draw_rewards, fill, right_arms
from bitarm.sim.kernels.status import BEST, BITS, MESSAGES, MISSED, OUTCOME, ROUNDS, SAMPLES
from bitarm.sim.tape import Tape
from bitarm.sim.trials import OUTCOMES, Trials, blank
from bitarm.sim.twins import is_bet_on

EventWatch = Callable[[tuple[LearnerEvent, ...]], None]

_OUTCOME_NUMBERS = {outcome: number for number, outcome in OUTCOMES.items()}


def run_machines(
    setup: Setup,
    tape: Tape,
    environment: Environment,
    rng: np.random.Generator,
    most_bits: int | None = None,
) -> Trials:
    """Run every trial of the tape with a learner and its agents.

    `most_bits` is the longest answer that the agents' link carries.
    """
    out = blank(tape.trials)
    right = right_arms(environment.means, tolerance_of(setup.policy)).tolist()
    for trial in range(tape.trials):
        learner, pulls = run_trial(setup, tape, environment, rng, trial, most_bits=most_bits)
        ending = learner.ending
        assert ending is not None  # a run always ends: schedules do
        row = out.table[trial]
        row[ROUNDS], row[SAMPLES], row[BITS] = ending.rounds, pulls, ending.payload_bits
        row[BEST] = -1 if ending.best_arm is None else ending.best_arm
        row[OUTCOME] = _OUTCOME_NUMBERS[ending.outcome]
        row[MESSAGES] = sum(record.message for record in learner.arms)
        in_race = (arm for arm, record in enumerate(learner.arms) if record.dropped_for is None)
        row[MISSED] = not any(right[arm] for arm in in_race)
    return out


def run_trial(
    setup: Setup,
    tape: Tape,
    environment: Environment,
    rng: np.random.Generator,
    trial: int,
    watch: EventWatch = lambda events: None,
    most_bits: int | None = None,
) -> tuple[Learner, int]:
    """One trial: its learner, and the pulls that its agents made.

    The tape grows where it is too short, and `watch` sees every event. Where agents bet on rewards,
    these are drawn one by one, and are on no tape. `most_bits` is the longest answer that the
    agents' link carries.
    """
    spec = _with_priors(setup, tape, trial)
    dither_of = None if is_bet_on(setup) else _dither_of(tape, environment, rng, trial)
    learner = Learner(replace(setup, spec=spec), dither_of=dither_of)
    agents = [Agent(learner.run, arm, most_bits=most_bits) for arm in range(len(spec.arms))]
    position = [0] * len(agents)  # the next cell of each arm
    output = learner.start()
    watch(output.events)
    inbox: deque[Request | Dismiss] = deque(output.messages)
    while inbox:
        message = inbox.popleft()
        agent = agents[message.arm]
        reports = agent.receive(message)
        while agent.wanted or agent.is_looking:
            if agent.is_looking:
                reports += agent.look()
            elif agent.state.bets is not None:
                rewards = draw_rewards(environment, rng, agent.arm, agent.wanted)
                reports += agent.observe(len(rewards), _in_turn(rewards), rewards)
            else:
                cell = position[agent.arm]
                count, total = _cell(tape, environment, rng, trial, agent.arm, cell)
                reports += agent.observe(count, total)
                position[agent.arm] += 1
        for report in reports:
            output = learner.receive(report)
            watch(output.events)
            inbox.extend(output.messages)
    return learner, sum(agent.state.pulls for agent in agents)


def _in_turn(rewards: list[float]) -> float:
    """Their sum as a kernel adds them; Python's own, from 3.12 on, rounds otherwise."""
    total = 0.0
    for reward in rewards:
        total += reward
    return total


def _with_priors(setup: Setup, tape: Tape, trial: int) -> RunSpec:
    drawn_from = setup.spec.quantizer.prior_range(setup.spec.bounds)
    if drawn_from is None:
        return setup.spec
    a, b = drawn_from
    priors = tuple(min(b, a + (b - a) * unit) for unit in tape.units[trial].tolist())
    return replace(setup.spec, priors=priors)


def _dither_of(
    tape: Tape, environment: Environment, rng: np.random.Generator, trial: int
) -> DitherOf:
    def dither(arm: int, occasion: Occasion) -> float:
        """The tape's dither; drawn now if the tape has none for this message yet.

        After the rewards that the message is about, as a kernel draws them: one stream feeds both.
        """
        fill(
            tape, environment, rng, trial, arm, int(np.searchsorted(tape.grid, occasion.pulls)) + 1
        )
        if occasion.message > tape.dithers.shape[1]:
            return float(rng.random())
        while tape.dithered[trial, arm] < occasion.message:
            tape.dithers[trial, tape.dithered[trial, arm], arm] = rng.random()
            tape.dithered[trial, arm] += 1
        return float(tape.dithers[trial, occasion.message - 1, arm])

    return dither


def _cell(
    tape: Tape, environment: Environment, rng: np.random.Generator, trial: int, arm: int, cell: int
) -> tuple[int, float]:
    """Rewards in a cell and their sum; drawn now if the tape has not come this far yet."""
    fill(tape, environment, rng, trial, arm, cell + 1)
    return tape.pulls_in(cell), float(tape.cells[trial, cell, arm])
