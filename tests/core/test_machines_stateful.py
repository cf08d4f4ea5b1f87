"""Whatever the network does and whoever restarts, a run ends as it would have without.

And whoever forgets, it ends, and nothing is read that is not so.
"""

import random
from typing import ClassVar

import pytest
from drives import Run, drive_problem, story
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from networks import Network, assert_same_run, misbehave
from problems import BOUNDED, POLICY_CHOICES, UNBOUNDED, problems
from tapes import Problem

from bitarm.core.codes import Nearest
from bitarm.core.confidence import Stride
from bitarm.core.events import (
    CaveatNoted,
    EpochBegan,
    LearnerEvent,
    LivesBegan,
    PositionTold,
    ReportAccepted,
    RoundOpened,
)
from bitarm.core.outcome import Outcome
from bitarm.core.outlook import outlook_of
from bitarm.core.policies import (
    POLICIES,
    ChallengeElimination,
    LilUcb,
    LilUcbCount,
    Lucb,
    Policy,
    SequentialHalving,
    SuccessiveElimination,
    SuccessiveRejects,
    TopTwo,
)
from bitarm.core.quantizers import QUANTIZERS, Exact, Quantizer
from bitarm.core.question import Question
from bitarm.core.replay import replay
from bitarm.core.standings import Standings

pytestmark = pytest.mark.slow  # seconds each: `make test-fast` leaves them out

_CALM = settings(deadline=None, suppress_health_check=list(HealthCheck))
_ONE_OF_EACH: tuple[Policy, ...] = (
    SuccessiveElimination(),
    Lucb(),
    LilUcb(),
    LilUcbCount(),
    TopTwo(),
    SequentialHalving(pull_budget=200),
    SuccessiveRejects(pull_budget=200),
    ChallengeElimination(),
)
_SEARCH = settings(_CALM, max_examples=2000, phases=[Phase.generate])  # any example will do
_SCHEMES = [(quantizer, True) for quantizer in BOUNDED]
_SCHEMES += [(quantizer, False) for quantizer in UNBOUNDED]
_TOGETHER = [
    pytest.param(quantizer, policy, bounded, id=f"{quantizer}-{bounded}-{policy.name}")
    for quantizer, bounded in _SCHEMES
    for policy in _ONE_OF_EACH
    # `problems` gives a policy that judges the one quantizer that goes with it
    if policy.stride is not Stride.JUDGED or quantizer == Exact()
]

_where = st.integers(0, 2**16)


class Unreliable(RuleBasedStateMachine):
    """A network that duplicates, reorders and loses; learners and agents that restart."""

    live: ClassVar[bool] = False

    def __init__(self) -> None:
        super().__init__()
        self.network: Network | None = None

    @initialize(problem=problems())
    def begin(self, problem: Problem) -> None:
        self.network = Network(problem, live=self.live)

    @property
    def net(self) -> Network:
        assert self.network is not None
        return self.network

    @precondition(lambda self: self.net.down)
    @rule(at=_where, keep=st.booleans())
    def deliver_to_an_agent(self, at: int, *, keep: bool) -> None:
        self.net.carry_down(at % len(self.net.down), keep=keep)

    @precondition(lambda self: self.net.up)
    @rule(at=_where, keep=st.booleans())
    def deliver_to_the_learner(self, at: int, *, keep: bool) -> None:
        self.net.carry_up(at % len(self.net.up), keep=keep)

    @precondition(lambda self: self.net.down)
    @rule(at=_where)
    def lose_on_the_way_down(self, at: int) -> None:
        self.net.lose_down(at % len(self.net.down))

    @precondition(lambda self: self.net.up)
    @rule(at=_where)
    def lose_on_the_way_up(self, at: int) -> None:
        self.net.lose_up(at % len(self.net.up))

    @rule()
    def ask_again(self) -> None:
        self.net.ask_again()

    @precondition(lambda self: any(agent.wanted for agent in self.net.agents))
    @rule(at=_where)
    def pull_all(self, at: int) -> None:
        self._pull(at, share=1.0)

    @precondition(lambda self: any(agent.wanted for agent in self.net.agents))
    @rule(at=_where, share=st.floats(0, 1))
    def pull_some(self, at: int, share: float) -> None:
        self._pull(at, share=share)

    def _pull(self, at: int, *, share: float) -> None:
        asked = [arm for arm, agent in enumerate(self.net.agents) if agent.wanted]
        arm = asked[at % len(asked)]
        self.net.pull(arm, max(1, int(share * self.net.agents[arm].wanted)))

    @rule()
    def restart_the_learner(self) -> None:
        self.net.restart_learner()

    @precondition(lambda self: not self.net.over)
    @rule()
    def resume_the_learner_in_a_new_epoch(self) -> None:
        self.net.resume_learner()

    @rule(at=_where)
    def restart_an_agent(self, at: int) -> None:
        self.net.restart_agent(at % len(self.net.agents))

    @invariant()
    def the_learner_speaks_in_the_latest_epoch(self) -> None:
        # the network itself checks every answer that is read: its epoch, and its agent's mean
        if self.network is not None:
            assert self.net.learner.epoch == self.net.epoch


class Disturbed(Unreliable):
    """Nothing is ever forgotten: the clean run of the same problem says what must be so."""

    @initialize(problem=problems())
    def begin(self, problem: Problem) -> None:
        super().begin(problem)
        self.clean: Run = drive_problem(problem)
        self.expected, _ = story(self.clean.events)

    @invariant()
    def what_was_accepted_is_what_the_clean_run_accepted(self) -> None:
        if self.network is not None:
            accepted, _ = story(self.network.events)
            assert accepted.items() <= self.expected.items()

    @invariant()
    def no_agent_is_ahead_of_what_it_is_asked(self) -> None:
        if self.network is not None:
            for record, agent in zip(self.net.learner.arms, self.net.agents, strict=True):
                assert agent.state.ahead is None
                assert agent.state.pulls >= record.pulls
                if record.question is not None:
                    assert agent.state.pulls <= record.question.until

    def teardown(self) -> None:
        if self.network is not None:
            self.network.settle()
            assert_same_run(self.network, self.clean)


class Forgetful(Unreliable):
    """Learners that are restored from older journals, and agents from older files.

    No clean run says any more what must be so. But every answer that is read is of the present
    epoch and true of the mean of the agent that gave it, nobody is asked for what it told before
    (`Network` sees to these), the journal stands for the learner, and the run ends.
    """

    live = True

    @rule(at=_where)
    def restore_the_learner_from_an_older_journal(self, at: int) -> None:
        self.net.restore_learner(at % len(self.net.steps))

    @rule(arm=_where, at=_where)
    def put_an_agent_back(self, arm: int, at: int) -> None:
        arm %= len(self.net.agents)
        self.net.put_agent_back(arm, at % len(self.net.saved[arm]))

    @invariant()
    def the_journal_stands_for_the_learner(self) -> None:
        if self.network is not None:
            assert_journal_stands_for(self.network)

    def teardown(self) -> None:
        if self.network is not None:
            self.network.settle()
            assert_journal_stands_for(self.network)
            assert_ending_is_sound(self.network)


def assert_journal_stands_for(network: Network) -> None:
    """Replay gives the learner, and so do the standings as far as they go."""
    events, learner = network.events, network.learner
    assert replay(events).save() == learner.save()
    standings = Standings.of(events)
    assert (standings.samples, standings.payload_bits) == (learner.samples, learner.payload_bits)
    assert (standings.epoch, standings.incidents) == (learner.epoch, learner.save().incidents)
    for standing, record in zip(standings.arms, learner.arms, strict=True):
        assert (standing.lives, standing.counted) == (record.lives, record.counted)
        assert (standing.pulls, standing.messages) == (record.pulls, record.message)
        if record.question is not None:
            assert standing.request is not None
            assert standing.request.message == record.asked
    if not any(isinstance(one, ReportAccepted) and one.beaten_by is not None for one in events):
        # who gave up made at most what is counted
        assert learner.samples <= sum(rewards.bit_count() for rewards in network.told)


def assert_ending_is_sound(network: Network) -> None:
    """The guarantee is what caveats, lives and restores leave of it; no budget is spent twice."""
    ending, learner = network.learner.ending, network.learner
    assert ending is not None
    ahead = any(isinstance(event, PositionTold) for event in network.events)
    if learner.policy.answers is Outcome.BUDGET_SPENT:
        assert not (ahead and ending.outcome is Outcome.BUDGET_SPENT)
        return
    if ending.guarantee is not None:
        lives = sorted((record.lives for record in learner.arms), reverse=True)
        width, stride = learner.spec.sampling, learner.policy.stride
        paid = lives[0] * lives[1] if width.along_path else 1
        if width.along_path and width.of_pairs and stride in (Stride.APART, Stride.JUDGED):
            paid *= 3 ** learner.save().incidents.restores
        assert ending.guarantee == pytest.approx(learner.spec.delta * paid)
        assert ending.guarantee < 1
        excluded = outlook_of(Standings.of(network.events)).exclusion
        assumed = tuple(one for one in ending.assumptions if not one.startswith("wrong means"))
        assert (excluded.delta, excluded.assumptions) == (ending.guarantee, assumed)
        assert learner.caveats == ()


TestDisturbed = Disturbed.TestCase
TestDisturbed.settings = settings(_CALM, max_examples=60, stateful_step_count=60)
TestForgetful = Forgetful.TestCase
TestForgetful.settings = settings(_CALM, max_examples=60, stateful_step_count=60)


@pytest.mark.parametrize(("quantizer", "policy", "bounded"), _TOGETHER)
def test_a_noisy_run_equals_the_clean_run(
    quantizer: Quantizer, policy: Policy, *, bounded: bool
) -> None:
    @settings(_CALM, max_examples=3)
    @given(problem=problems(quantizer, policy, bounded=bounded), seed=st.integers(0, 2**32))
    def check(problem: Problem, seed: int) -> None:
        clean = drive_problem(problem)
        network = Network(problem)
        misbehave(network, random.Random(seed))
        network.settle()
        assert_same_run(network, clean)

    check()


def forget(network: Network, rng: random.Random, times: int) -> None:
    """So many learners and agents go back in time, between steps that `rng` draws."""
    for _ in range(times):
        misbehave(network, rng, most_steps=rng.randint(5, 60))
        if rng.random() < 0.5:
            network.restore_learner(rng.randrange(len(network.steps)))
        else:
            arm = rng.randrange(len(network.agents))
            network.put_agent_back(arm, rng.randrange(len(network.saved[arm])))


@pytest.mark.parametrize(("quantizer", "policy", "bounded"), _TOGETHER)
def test_a_run_whose_machines_forget_ends_and_says_nothing_untrue(
    quantizer: Quantizer, policy: Policy, *, bounded: bool
) -> None:
    @settings(_CALM, max_examples=4)
    @given(problem=problems(quantizer, policy, bounded=bounded), seed=st.integers(0, 2**32))
    def check(problem: Problem, seed: int) -> None:
        network = Network(problem, live=True)
        forget(network, random.Random(seed), times=4)
        network.settle()
        assert_journal_stands_for(network)
        assert_ending_is_sound(network)

    check()


def test_every_quantizer_and_policy_is_put_through_it() -> None:
    assert {quantizer.name for quantizer, _ in _SCHEMES} == set(QUANTIZERS)
    assert {policy.name for policy in _ONE_OF_EACH} == set(POLICIES)
    assert {case.values[1] for case in _TOGETHER} == set(_ONE_OF_EACH)
    assert {policy.name for policy in POLICY_CHOICES} == set(POLICIES)


@pytest.mark.parametrize(
    "event", [PositionTold, LivesBegan, EpochBegan, CaveatNoted], ids=lambda event: str(event.name)
)
def test_forgetting_leads_to_all_that_can_follow_from_it(event: type[LearnerEvent]) -> None:
    def meets(example: tuple[Problem, int]) -> bool:
        problem, seed = example
        network = Network(problem, live=True)
        forget(network, random.Random(seed), times=4)
        network.settle()
        return any(isinstance(one, event) for one in network.events)

    find(st.tuples(problems(), st.integers(0, 2**32)), meets, settings=_SEARCH)


def _asked(run: Run) -> list[Question]:
    return [
        request.question
        for event in run.events
        if isinstance(event, RoundOpened)
        for request in event.requests
    ]


def _gave_up(run: Run) -> bool:
    return any(
        isinstance(event, ReportAccepted) and event.beaten_by is not None for event in run.events
    )


def test_centres_of_other_arms_are_among_what_is_disturbed() -> None:
    def meets(problem: Problem) -> bool:
        first = _asked(drive_problem(problem))[: len(problem.spec.arms)]
        codes = [question.code for question in first]
        return len({code.centre for code in codes if isinstance(code, Nearest)}) > 1

    find(problems(policy=ChallengeElimination()), meets, settings=_SEARCH)


@pytest.mark.parametrize("beaten", [False, True])
def test_challenged_arms_both_give_up_and_go_on(*, beaten: bool) -> None:
    def meets(problem: Problem) -> bool:
        run = drive_problem(problem)
        challenged = [question for question in _asked(run) if question.task is not None]
        return bool(challenged) and _gave_up(run) is beaten

    find(problems(policy=ChallengeElimination()), meets, settings=_SEARCH)


@settings(_CALM, max_examples=100)
@given(problem=problems())
def test_both_ends_have_counted_the_same_after_a_clean_run(problem: Problem) -> None:
    run = drive_problem(problem)
    for record, agent in zip(run.learner.arms, run.agents, strict=True):
        assert (record.pulls, record.message) == (agent.state.pulls, agent.state.message)
        assert record.symbol == agent.state.symbol
    accepted, _ = story(run.events)
    assert run.ending.samples == sum(agent.state.pulls for agent in run.agents)
    assert len(accepted) == sum(agent.state.message for agent in run.agents)
