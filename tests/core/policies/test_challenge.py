"""Elimination by challenge, decision by decision and run by run."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from drives import Run, answered, drive

from bitarm.core.agent import Agent
from bitarm.core.confidence import ArmView, Stride
from bitarm.core.events import ArmDropped, ReportAccepted, RoundOpened, RunEnded
from bitarm.core.evidence.evidence import Evidence
from bitarm.core.evidence.tasks import Challenge, Edge, Pilot
from bitarm.core.evidence.verdict import challenge
from bitarm.core.hint import HintKind
from bitarm.core.learner import Learner
from bitarm.core.limits import Limits
from bitarm.core.outcome import Outcome
from bitarm.core.policies import ChallengeElimination, SuccessiveElimination
from bitarm.core.policy import Action, Advance, Drop, PolicyContext, Stop
from bitarm.core.quantizers import Dyadic, Exact
from bitarm.core.replay import replay
from bitarm.core.schedule import LooksSchedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.core.widths import WIDTHS
from bitarm.errors import ConfigError

Rewards = Callable[[int, int, int], float]


def context(width: str = "bounded", arms: int = 5, delta: float = 0.05) -> PolicyContext:
    made = WIDTHS[width](arms=arms, delta=delta, sigma=0.5, certain=True, bounds=(0.0, 1.0))
    return PolicyContext(
        arms=arms,
        delta=delta,
        confidence=made.confidence(Stride.JUDGED),
        schedule=LooksSchedule(),
    )


def unheard(arm: int) -> ArmView:
    return ArmView(arm=arm, mean=0.5, pulls=0, messages=0, index=0, error=math.inf)


def heard(arm: int, mean: float, pulls: int = 22) -> ArmView:
    return ArmView(arm=arm, mean=mean, pulls=pulls, messages=1, index=pulls, error=3 / 64)


def ahead(arm: int, mean: float, pulls: int) -> ArmView:
    """An arm that told its edge."""
    return replace(
        heard(arm, mean, pulls), open_above=True, spread=-2, rung=1, error=1 / 64, messages=2
    )


def decide(views: Sequence[ArmView], width: str = "bounded") -> tuple[Action, ...]:
    return ChallengeElimination().decide(views, context(width))


def advances(actions: Sequence[Action]) -> list[Advance]:
    assert all(isinstance(action, Advance) for action in actions)
    return [action for action in actions if isinstance(action, Advance)]


# -- decisions ------------------------------------------------------------------------------------


def test_the_arm_in_the_middle_speaks_first_and_says_how_it_spreads() -> None:
    (pilot,) = advances(decide([unheard(arm) for arm in range(5)]))
    assert pilot.arm == 2
    assert pilot.until == math.ceil(12 + 2 * math.log(4 / 0.05))
    assert pilot.hint is not None
    assert (pilot.hint.kind, pilot.hint.value, pilot.hint.task) == (HintKind.PILOT, 0.5, Pilot())


def test_with_a_sigma_two_pulls_are_enough_and_there_is_no_spread_to_tell() -> None:
    (pilot,) = advances(decide([unheard(arm) for arm in range(5)], "sub-gaussian"))
    assert pilot.until == 2
    assert pilot.hint is not None
    assert pilot.hint.task is None


def test_then_the_ends_around_it_and_the_rest_around_the_median() -> None:
    views = [unheard(arm) for arm in range(5)]
    views[2] = heard(2, 0.7)
    ends = advances(decide(views))
    assert [advance.arm for advance in ends] == [0, 4]
    assert all(advance.hint and advance.hint.value == 0.7 for advance in ends)
    views[0], views[4] = heard(0, 0.6), heard(4, 0.1)
    rest = advances(decide(views))
    assert [advance.arm for advance in rest] == [1, 3]
    assert all(advance.hint and advance.hint.value == 0.6 for advance in rest)
    assert {advance.until for advance in (*ends, *rest)} == {21}
    kinds = {advance.hint.kind for advance in (*ends, *rest) if advance.hint}
    assert kinds == {HintKind.CENTRE}


def test_two_arms_have_a_pilot_and_another() -> None:
    assert [advance.arm for advance in advances(decide([unheard(0), unheard(1)]))] == [1]
    assert [advance.arm for advance in advances(decide([unheard(0), heard(1, 0.5)]))] == [0]


def test_the_leader_goes_ahead_alone_and_tells_its_edge() -> None:
    views = [heard(0, 0.2), heard(1, 0.9), heard(2, 0.5)]
    (leader,) = advances(decide(views))
    assert leader.arm == 1
    assert 22 < leader.until <= 4 * 22
    assert leader.hint is not None
    assert isinstance(leader.hint.task, Edge)
    assert leader.hint.kind is HintKind.LEADER


def test_others_are_challenged_or_placed_or_left_alone() -> None:
    views = [heard(0, 0.2), ahead(1, 0.9, 60), heard(2, 0.89), heard(3, 0.7)]
    asked = {advance.arm: advance for advance in advances(decide(views))}
    assert all(advance.until == 60 for advance in asked.values())
    fallen, next_leader = asked[0].hint, asked[2].hint
    assert fallen is not None
    assert next_leader is not None
    assert isinstance(fallen.task, Challenge)
    assert fallen.task.edge == 0.9 - 1 / 64
    assert fallen.rival == 1
    assert next_leader.kind is HintKind.PLACE
    assert next_leader.task is None
    assert 1 not in asked


def test_a_leader_goes_on_if_few_are_likely_to_fall_so_soon() -> None:
    """Once: arms that are as good would never be challenged, and it would run away from them."""
    low, near = heard(0, 0.2), [heard(2, 0.72), heard(3, 0.74)]
    assert {one.arm for one in advances(decide([low, ahead(1, 0.9, 60)]))} == {0}
    (alone,) = advances(decide([ahead(1, 0.9, 60), *near]))
    assert (alone.arm, alone.hint and alone.hint.kind) == (1, HintKind.LEADER)
    assert alone.until > 60
    again = replace(ahead(1, 0.9, 60), messages=3)
    assert {one.arm for one in advances(decide([again, *near]))} == {2, 3}


def test_who_gave_up_is_dropped_and_who_is_left_is_the_answer() -> None:
    beaten = replace(heard(0, 0.2, 60), error=math.inf, beaten_by=1)
    assert decide([beaten, ahead(1, 0.9, 60)]) == (
        Drop(arm=0, because=1),
        Stop(outcome=Outcome.DECIDED, best_arm=1),
    )
    first, *others = decide([beaten, ahead(1, 0.9, 60), heard(2, 0.8)])
    assert first == Drop(arm=0, because=1)
    assert advances(others)


def test_who_was_beaten_by_an_arm_that_is_gone_is_in_the_race_again() -> None:
    # it had led once: what it told then is not of now, and nobody is held against that
    back = replace(ahead(0, 0.8, 60), error=math.inf, beaten_by=1)
    actions = decide([back, heard(2, 0.3), heard(3, 0.4)])
    (leader,) = advances(actions)
    assert leader.arm == 0
    assert leader.until > 60


def test_without_a_sigma_nobody_is_challenged_by_a_mean_that_was_only_told() -> None:
    """As after a challenge that an arm survived: its evidence may be less than its mean looks."""
    views = [heard(0, 0.1), heard(1, 0.9, 60)]
    (leader,) = advances(decide(views))
    assert leader.arm == 1
    assert leader.hint is not None
    assert isinstance(leader.hint.task, Edge)
    (challenged,) = advances(decide([views[0], ahead(1, 0.9, 60)]))
    assert challenged.hint is not None
    assert isinstance(challenged.hint.task, Challenge)


@pytest.mark.parametrize("rung", [1, 5])
@pytest.mark.parametrize("spread", [-6, 1])
def test_a_challenge_is_of_the_rungs_and_the_spread_for_which_the_edge_was_certified(
    rung: int, spread: int
) -> None:
    """At others, or with another spread, nothing is certified of it."""
    leader = replace(ahead(1, 0.9, 600), rung=rung, spread=spread, messages=9)
    others = [heard(0, 0.2), replace(heard(2, 0.1, 30), spread=-3)]
    evidence = context().confidence
    assert isinstance(evidence, Evidence)
    certified = challenge(
        scale=evidence.scale,
        edge=leader.mean - leader.error,
        middle=leader.mean,
        spread=spread,
        first=rung,
        pulls=leader.pulls,
        level=evidence.level,
        log_weights=evidence.log_weights,
    )
    asked = advances(decide([*others, leader]))
    for advance in asked:
        assert advance.until == leader.pulls
        assert advance.hint is not None
        assert advance.hint.task == certified
    assert [advance.arm for advance in asked] == [0, 2]


def test_who_challenges_last_does_so_with_its_own_spread_and_not_the_latest() -> None:
    """Recorded rewards have ended; another arm has told a spread since, after more pulls."""
    leader = replace(ahead(1, 0.9, 600), spread=1)
    later = replace(heard(2, 0.5, 700), spread=-6)
    recorded = replace(context(), ends=(650, 600, 700))
    (asked,) = advances(ChallengeElimination().decide([heard(0, 0.2), leader, later], recorded))
    (usual,) = advances(ChallengeElimination().decide([heard(0, 0.2), leader], recorded))
    assert asked.hint is not None
    assert usual.hint is not None
    assert isinstance(asked.hint.task, Challenge)
    assert (asked.hint.rival, asked.hint.task) == (1, usual.hint.task)


def test_with_a_sigma_told_cells_may_be_enough() -> None:
    views = [heard(0, 0.1, 500), heard(1, 0.9, 500)]
    drop, stop = decide(views, "sub-gaussian")
    assert drop == Drop(arm=0, because=1)
    assert stop == Stop(outcome=Outcome.DECIDED, best_arm=1)


def test_it_goes_with_no_other_width_and_no_other_quantizer() -> None:
    def setup(quantizer: Dyadic | Exact, width: str) -> Setup:
        spec = spec_of((0.5, 0.5), 0.1, width=width, quantizer=quantizer)
        return Setup(spec=spec, policy=ChallengeElimination())

    with pytest.raises(ConfigError, match="needs evidence"):
        setup(Dyadic(), "paper")
    with pytest.raises(ConfigError, match="needs a quantizer that can put its challenges"):
        setup(Exact(), "bounded")
    spec = spec_of((0.5, 0.5), 0.1)
    with pytest.raises(ConfigError, match="agents judge themselves"):
        Learner(Setup(spec=spec, policy=SuccessiveElimination()))


# -- whole runs -----------------------------------------------------------------------------------


def spec_of(
    means: Sequence[float],
    delta: float,
    *,
    width: str = "bounded",
    bounds: tuple[float, float] | None = (0.0, 1.0),
    quantizer: Dyadic | Exact | None = None,
) -> RunSpec:
    return RunSpec(
        arms=tuple(f"arm-{arm}" for arm in range(len(means))),
        delta=delta,
        sigma=0.5,
        bounds=bounds,
        quantizer=quantizer or Dyadic(),
        width=width,
        schedule=LooksSchedule(),
        priors=(),
        seed=0,
    )


def rewards_of(means: Sequence[float], seed: int, law: str = "coin") -> Rewards:
    """Sums of a fixed tape: rewards as they are drawn, and cumulative sums of those."""
    draws = [random.Random(f"{seed}/{arm}") for arm in range(len(means))]
    tape: list[list[float]] = [[] for _ in means]

    def one(arm: int) -> float:
        mean, draw = means[arm], draws[arm]
        if law == "coin":
            return float(draw.random() < mean)
        return mean if law == "constant" else mean + draw.choice((-1, 1)) / 4

    def total(arm: int, done: int, count: int) -> float:
        while len(tape[arm]) < done + count:
            tape[arm].append(one(arm))
        return math.fsum(tape[arm][done : done + count])

    return total


def run(
    means: Sequence[float],
    delta: float,
    *,
    seed: int = 1,
    law: str = "coin",
    width: str = "bounded",
    bounds: tuple[float, float] | None = (0.0, 1.0),
    samples: int = 40_000,
    epsilon: float = 0.0,
) -> Run:
    spec = spec_of(means, delta, width=width, bounds=bounds)
    policy = ChallengeElimination(epsilon=epsilon)
    setup = Setup(spec=spec, policy=policy, limits=Limits(samples=samples))
    learner = Learner(setup)
    agents = [Agent(learner.run, arm) for arm in range(len(means))]
    return drive(learner, agents, rewards_of(means, seed, law))


def decided(made: Run) -> int:
    assert made.ending.outcome is Outcome.DECIDED
    assert made.ending.guarantee is not None
    assert replay(made.events).save() == made.learner.save()
    assert made.ending.best_arm is not None
    return made.ending.best_arm


@pytest.mark.parametrize("means", [(0.9, 0.4), (0.2, 0.5, 0.4, 0.9, 0.1)], ids=len)
@pytest.mark.parametrize("delta", [0.3, 0.05, 1e-12])
@pytest.mark.parametrize("width", ["bounded", "sub-gaussian"])
def test_it_finds_the_best(means: tuple[float, ...], delta: float, width: str) -> None:
    assert decided(run(means, delta, width=width)) == max(range(len(means)), key=means.__getitem__)


@pytest.mark.parametrize("width", ["bounded", "sub-gaussian"])
def test_arms_without_noise(width: str) -> None:
    assert decided(run((0.25, 0.75, 0.5), 0.05, law="constant", width=width)) == 1
    assert decided(run((0.0, 1.0), 0.05, law="constant", width=width)) == 1


@pytest.mark.parametrize("bounds", [(-3.0, 5.0), (0.25, 1.25), (-0.1, 1.3)])
def test_other_bounds(bounds: tuple[float, float]) -> None:
    assert decided(run((0.5, 0.95, 0.6), 0.05, law="coin", bounds=(-1.0, 1.0))) == 1
    means = [0.4, 0.8]
    assert decided(run(means, 0.05, law="constant", bounds=bounds)) == 1


def test_no_bounds_but_a_sigma() -> None:
    made = run((7.0, 7.5, 6.0), 0.05, law="two points", width="sub-gaussian", bounds=None)
    assert decided(made) == 1


def test_two_equal_arms_end_at_a_limit_and_name_nobody() -> None:
    made = run((0.5, 0.5), 1e-6, law="constant", samples=3000)
    assert made.ending.outcome is Outcome.SAMPLE_LIMIT
    assert made.ending.best_arm is None
    assert made.ending.guarantee is None


def test_a_lost_challenge_tells_nothing_but_that() -> None:
    made = run((0.9, 0.4, 0.3), 0.05)
    lost = [
        event
        for event in made.events
        if isinstance(event, ReportAccepted) and event.beaten_by is not None
    ]
    assert lost
    dropped = {event.arm: event.because for event in made.events if isinstance(event, ArmDropped)}
    for event in lost:
        assert event.symbol.nbits == 1
        assert dropped[event.arm] == event.beaten_by
        assert made.agents[event.arm].state.pulls <= event.pulls


def test_a_question_is_asked_on_the_scale_from_the_first_on() -> None:
    made = run((0.9, 0.4, 0.3), 0.05)
    for event in made.events:
        for request in event.requests if isinstance(event, RoundOpened) else ():
            assert request.question.scale is not None


def test_a_leader_that_is_lost_while_others_judge_leaves_them_in_the_race() -> None:
    means = (0.3, 0.5, 0.98, 0.35)
    spec = spec_of(means, 0.05)
    learner = Learner(Setup(spec=spec, policy=ChallengeElimination()))
    agents, total = [Agent(learner.run, arm) for arm in range(4)], rewards_of(means, 3)
    learner.start()
    while not any(isinstance(asked.question.task, Challenge) for asked in learner.pending):
        for request in learner.pending:
            for answer in answered(agents[request.arm], request, total):
                learner.receive(answer)
    leader = next(record.rival for record in learner.arms if record.rival is not None)
    first, *others = learner.pending
    for answer in answered(agents[first.arm], first, total):  # one of them gives up
        learner.receive(answer)
    assert others
    learner.lose((leader,))
    while learner.ending is None:
        for request in learner.pending:
            for answer in answered(agents[request.arm], request, total):
                learner.receive(answer)
    ending: RunEnded = learner.ending
    assert leader == 2
    assert (ending.outcome, ending.best_arm) == (Outcome.DECIDED, 1)
    assert "not arm-2" in ending.guarantee_reason


def test_evidence_is_what_it_decides_by() -> None:
    assert isinstance(context().confidence, Evidence)
