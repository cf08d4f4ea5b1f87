"""Agents that forgot live rewards: a new life is counted anew, and paid for."""

from dataclasses import replace

import pytest
from core.resuming import after_rounds, answer_of, asked_of, problem_of, told
from networks import Network

from bitarm.core.codes import Raw
from bitarm.core.events import LivesBegan, ReportIgnored, RunEnded
from bitarm.core.learner_state import ArmPhase, LearnerOutput
from bitarm.core.limits import Limits
from bitarm.core.outcome import Outcome
from bitarm.core.policies import Lucb, Policy, SuccessiveElimination
from bitarm.core.quantizers import Exact, Icq
from bitarm.core.question import BEATEN
from bitarm.core.replay import replay
from bitarm.core.result import result_of
from bitarm.core.standings import Standings
from bitarm.errors import LocalProtocolError


def test_a_new_life_is_written_down_and_counted() -> None:
    learner = after_rounds(problem_of(), 2).learner
    before = learner.save()
    output = learner.renew({0: 0, 2: 3})
    assert output.events == (LivesBegan(arms=(0, 2), pulls=(0, 3)),)
    after = learner.save()
    assert [record.lives for record in after.arms] == [2, 1, 2]
    assert [record.counted for record in after.arms] == [0, 4, 3]
    assert [record.held for record in after.arms] == [record.held for record in before.arms]
    assert [record.pulls for record in after.arms] == [4, 4, 4]
    assert after.samples == before.samples
    learner.renew({0: 0})
    assert [record.lives for record in learner.arms] == [3, 1, 2]


def test_what_is_open_is_asked_again_under_a_new_number() -> None:
    learner = after_rounds(problem_of(), 2).learner
    first, second, _ = learner.pending
    told(learner, [answer_of(learner, 2)])
    output = learner.renew({0: 0, 2: 3})
    again = replace(first, message=first.message + 1)
    assert output.messages == (again,)  # arm 2 has answered
    assert learner.pending == (again, second)


def test_an_answer_of_the_old_life_that_was_on_its_way_is_not_read() -> None:
    network = Network(problem_of(quantizer=Exact()), live=True)
    while network.learner.rounds < 3:
        network.turn()  # each arm told its mean at 4
    saved = len(network.saved[0]) - 1
    network.carry_down(0, keep=False)
    network.pull(0, 4)  # its answer at 8 is on its way
    network.put_agent_back(0, saved - 1)  # it remembers 2
    before = network.learner.save()
    network.carry_up(0, keep=False)
    assert network.learner.save() == before
    assert isinstance(network.events[-1], ReportIgnored)
    network.turn()
    record, state = network.learner.arms[0], network.agents[0].state
    assert (record.pulls, record.counted, record.lives) == (8, 8, 2)
    assert record.symbol == Raw().write(state.total / 8)
    assert network.learner.samples == (4 + 6) + 8 + 8  # of 14 that arm 0 drew, 4 were never told
    assert network.drawn == [4 + 4 + 6, 8, 8]
    assert replay(network.events).save() == network.learner.save()
    assert Standings.of(network.events).samples == network.learner.samples


def test_arms_that_told_nothing_or_are_out_have_nothing_to_renew() -> None:
    learner = problem_of().learner()
    learner.start()
    learner.receive(answer_of(learner, 1))
    before = learner.save()
    assert learner.renew({0: 0, 2: 0}) == LearnerOutput()
    assert learner.renew({}) == LearnerOutput()
    assert learner.save() == before
    output = learner.renew({0: 0, 1: 0, 2: 0})
    assert output.events == (LivesBegan(arms=(1,), pulls=(0,)),)
    learner.lose((1,))
    assert learner.renew({1: 0}) == LearnerOutput()


@pytest.mark.parametrize("arm", [-1, 3, 99])
def test_an_arm_that_is_not_there_cannot_begin_a_new_life(arm: int) -> None:
    learner = after_rounds(problem_of(), 2).learner
    before = learner.save()
    with pytest.raises(LocalProtocolError, match="only 3 arms"):
        learner.renew({0: 0, arm: 0})
    assert learner.save() == before


@pytest.mark.parametrize("shared", [-1, 5])
def test_a_new_life_shares_no_more_pulls_than_were_counted(shared: int) -> None:
    learner = after_rounds(problem_of(), 2).learner
    before = learner.save()
    assert before.arms[2].sure == 4
    with pytest.raises(LocalProtocolError, match=r"shares pulls that were counted: .*2: "):
        learner.renew({0: 4, 2: shared})
    assert learner.save() == before


def test_a_word_that_happens_to_be_a_single_zero_is_no_giving_up() -> None:
    """A told mean: all its pulls are known, and may be shared by a new life."""
    learner = problem_of(quantizer=Icq(bits=1, prior="midpoint")).learner()
    learner.start()
    pulls = learner.pending[0].question.until
    for request in learner.pending:
        learner.receive(replace(answer_of(learner, request.arm), symbol=BEATEN))
    assert [record.sure for record in learner.arms] == [pulls] * 3
    learner.renew({0: pulls})
    assert learner.arms[0].counted == pulls


@pytest.mark.parametrize(
    ("shared", "samples"), [(0, 12 + 8 + 4 + 4), (3, 12 + 5 + 4 + 4), (4, 12 + 4 + 4 + 4)]
)
def test_rewards_of_a_new_life_are_counted_anew_but_for_those_that_it_shares(
    shared: int, samples: int
) -> None:
    learner = after_rounds(problem_of(), 2).learner
    assert (learner.samples, asked_of(learner)) == (12, {0: 8, 1: 8, 2: 8})
    learner.renew({0: shared})
    told(learner, [answer_of(learner, arm) for arm in range(3)])
    assert learner.samples == samples
    assert [record.counted for record in learner.arms] == [8, 8, 8]


def test_a_new_life_counts_towards_the_limit_on_samples() -> None:
    for renewed, outcome in ((False, None), (True, Outcome.SAMPLE_LIMIT)):
        learner = after_rounds(problem_of(limits=Limits(samples=49)), 2).learner
        told(learner, [answer_of(learner, 0), answer_of(learner, 1)])
        if renewed:
            learner.renew({0: 0})
        output = learner.receive(answer_of(learner, 2))  # 24 so far; 16 each are 48
        ended = [event.outcome for event in output.events if isinstance(event, RunEnded)]
        assert ended == ([] if outcome is None else [outcome])


@pytest.mark.parametrize(
    ("width", "policy", "forgets", "factor"),
    [
        ("paper", SuccessiveElimination(), (0,), 1),
        ("paper", SuccessiveElimination(), (0, 1, 0, 2), 1),
        ("pairwise", SuccessiveElimination(), (0, 1), 1),
        ("lil", SuccessiveElimination(), (0,), 2),
        ("lil", Lucb(), (0, 1), 4),
        ("pairwise-mixture", SuccessiveElimination(), (0,), 2),
        ("pairwise-mixture", SuccessiveElimination(), (1, 0, 1), 6),
        ("pairwise-mixture", SuccessiveElimination(), (0, 0, 0, 0, 1, 1, 1), None),  # 0.05·5·4 = 1
    ],
)
def test_what_is_left_of_delta_is_what_the_width_pays_for(
    width: str, policy: Policy, forgets: tuple[int, ...], factor: int | None
) -> None:
    network = Network(problem_of(policy, means=(700, 650, 600), width=width, sigma=0.15), live=True)
    while min(record.message for record in network.learner.arms) < 1:
        network.turn()
    for arm in forgets:
        assert network.learner.arms[arm].phase is not ArmPhase.OUT
        network.send(network.learner.renew({arm: network.learner.arms[arm].counted}))
    network.settle()
    ending = network.learner.ending
    assert ending is not None
    assert (ending.outcome, ending.best_arm) == (Outcome.DECIDED, 0)
    if factor is None:
        assert ending.guarantee is None
        assert f"lost their memory {len(forgets)} times" in ending.guarantee_reason
    else:
        assert ending.guarantee == pytest.approx(0.05 * factor)
        assert "what agents forgot does not depend on the rewards" in ending.guarantee_reason
    result = result_of(Standings.of(network.events))
    assert (result.forgotten, result.restored) == (len(forgets), False)
    assert replay(network.events).save() == network.learner.save()


def test_an_agent_that_forgot_answers_at_the_next_checkpoint_with_new_rewards_alone() -> None:
    network = Network(problem_of(quantizer=Exact()), live=True)
    while network.learner.rounds < 4:
        network.turn()  # each arm told its mean at 8
    network.put_agent_back(0, 0)
    assert network.learner.arms[0].lives == 2
    network.turn()
    state, record = network.agents[0].state, network.learner.arms[0]
    assert (state.pulls, record.pulls, network.drawn[0]) == (16, 16, 8 + 16)
    assert state.total == network.problem.tape.total(0, 8, 16)
    assert record.symbol == Raw().write(state.total / 16)
    assert network.learner.samples == sum(network.drawn)
