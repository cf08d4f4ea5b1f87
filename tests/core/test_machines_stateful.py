"""Whatever the network does and whoever restarts, a run ends as it would have without."""

import random

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tapes import (
    BOUNDED,
    POLICY_CHOICES,
    UNBOUNDED,
    Network,
    Problem,
    Run,
    assert_same_run,
    drive_problem,
    misbehave,
    problems,
    story,
)

from bitarm.core.events import ReportAccepted, RoundOpened
from bitarm.core.messages import Hint, HintKind
from bitarm.core.policies import (
    POLICIES,
    LilUcb,
    LilUcbCount,
    Lucb,
    Policy,
    QuietElimination,
    SequentialHalving,
    SuccessiveElimination,
    SuccessiveRejects,
)
from bitarm.core.quantizers import QUANTIZERS, Dicq, Quantizer

pytestmark = pytest.mark.slow  # seconds each: `make test-fast` leaves them out

_CALM = settings(deadline=None, suppress_health_check=list(HealthCheck))
_ONE_OF_EACH: tuple[Policy, ...] = (
    QuietElimination(),
    SuccessiveElimination(),
    Lucb(),
    LilUcb(),
    LilUcbCount(),
    SequentialHalving(pull_budget=200),
    SuccessiveRejects(pull_budget=200),
)
_SEARCH = settings(_CALM, max_examples=2000, phases=[Phase.generate])  # any example will do
_SCHEMES = [(quantizer, True) for quantizer in BOUNDED]
_SCHEMES += [(quantizer, False) for quantizer in UNBOUNDED]

_where = st.integers(0, 2**16)


class Disturbed(RuleBasedStateMachine):
    """A network that duplicates, reorders and loses; machines that restart between any two steps.

    The clean run of the same problem says at every step what must be so.
    """

    def __init__(self) -> None:
        super().__init__()
        self.network: Network | None = None

    @initialize(problem=problems())
    def begin(self, problem: Problem) -> None:
        self.clean: Run = drive_problem(problem)
        self.expected, _ = story(self.clean.events)
        self.network = Network(problem)

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
    def restart_the_learner_by_value(self) -> None:
        self.net.restart_learner_by_value()

    @rule()
    def restart_the_learner_by_events(self) -> None:
        self.net.restart_learner_by_events()

    @rule(at=_where)
    def restart_an_agent_by_value(self, at: int) -> None:
        self.net.restart_agent_by_value(at % len(self.net.agents))

    @rule(at=_where)
    def restart_an_agent_by_events(self, at: int) -> None:
        self.net.restart_agent_by_events(at % len(self.net.agents))

    @invariant()
    def what_was_accepted_is_what_the_clean_run_accepted(self) -> None:
        if self.network is not None:
            accepted, _ = story(self.network.events)
            assert accepted.items() <= self.expected.items()

    @invariant()
    def both_ends_hold_the_same_after_the_same_message(self) -> None:
        if self.network is not None:
            for record, agent in zip(self.net.learner.arms, self.net.agents, strict=True):
                assert 0 <= agent.state.message - record.message <= 1
                if agent.state.message == record.message:
                    assert agent.state.held == record.held

    def teardown(self) -> None:
        if self.network is not None:
            self.network.settle()
            assert_same_run(self.network, self.clean)


TestDisturbed = Disturbed.TestCase
TestDisturbed.settings = settings(_CALM, max_examples=100, stateful_step_count=60)


@pytest.mark.parametrize("policy", _ONE_OF_EACH, ids=lambda policy: policy.name)
@pytest.mark.parametrize(("quantizer", "bounded"), _SCHEMES, ids=str)
def test_a_noisy_run_equals_the_clean_run(
    quantizer: Quantizer, policy: Policy, *, bounded: bool
) -> None:
    @settings(_CALM, max_examples=8)
    @given(problem=problems(quantizer, policy, bounded=bounded), seed=st.integers(0, 2**32))
    def check(problem: Problem, seed: int) -> None:
        clean = drive_problem(problem)
        network = Network(problem)
        misbehave(network, random.Random(seed))
        network.settle()
        assert_same_run(network, clean)

    check()


def test_every_quantizer_and_policy_is_put_through_it() -> None:
    assert {quantizer.name for quantizer, _ in _SCHEMES} == set(QUANTIZERS)
    assert {policy.name for policy in _ONE_OF_EACH} == set(POLICIES)
    assert {policy.name for policy in POLICY_CHOICES} == set(POLICIES)


def _told(run: Run) -> list[Hint]:
    return [
        advance.hint
        for event in run.events
        if isinstance(event, RoundOpened)
        for advance in event.advances
        if advance.hint is not None
    ]


def _conceded(run: Run) -> bool:
    return any(isinstance(it, ReportAccepted) and it.ceiling is not None for it in run.events)


@pytest.mark.parametrize("kind", list(HintKind))
def test_hints_are_among_what_is_disturbed(kind: HintKind) -> None:
    def meets(problem: Problem) -> bool:
        return any(hint.kind is kind for hint in _told(drive_problem(problem)))

    find(problems(), meets, settings=_SEARCH)


@pytest.mark.parametrize("concedes", [False, True])
def test_arms_with_a_cut_both_concede_and_go_on(*, concedes: bool) -> None:
    quiet = problems(Dicq(kappa=2.5), QuietElimination(), bounded=True)

    def meets(problem: Problem) -> bool:
        run = drive_problem(problem)
        cuts = [hint for hint in _told(run) if hint.kind is HintKind.CUT]
        return bool(cuts) and _conceded(run) is concedes

    find(quiet, meets, settings=_SEARCH)


@settings(_CALM, max_examples=100)
@given(problem=problems())
def test_both_ends_hold_the_same_after_a_clean_run(problem: Problem) -> None:
    run = drive_problem(problem)
    for record, agent in zip(run.learner.arms, run.agents, strict=True):
        assert record.held == agent.state.held
        assert (record.pulls, record.message) == (agent.state.pulls, agent.state.message)
    accepted, _ = story(run.events)
    assert run.ending.samples == sum(agent.state.pulls for agent in run.agents)
    assert len(accepted) == sum(agent.state.message for agent in run.agents)
