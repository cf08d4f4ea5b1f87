"""Which process speaks for an agent, what it forgot, and how many may still join."""

import pytest

from bitarm.runtime.learner.processes import Joins, Newcomer, newcomer
from bitarm.runtime.learner.roster import Member
from bitarm.wire.status import Presence, Start, Status

COUNTED = {0: 8, 1: 4, 2: 16}  # pulls that the learner heard of


def member_of(boot: str = "b1", life: str = "l1") -> Member:
    return Member(name="gw", arms=(0, 1), heard_at=0.0, boot=boot, life=life)


def status_of(
    boot: str,
    pulls: dict[int, int] | None = None,
    *before: Start,
    life: str = "l1",
) -> Status:
    return Status(
        presence=Presence.ONLINE,
        boot=boot,
        life=life,
        pulls=pulls if pulls is not None else {0: 8, 1: 4},
        before=before,
    )


def joined(member: Member, status: Status) -> Newcomer:
    found = newcomer(member, status, COUNTED)
    assert found is not None
    return found


def test_the_first_process_has_forgotten_nothing_that_it_told() -> None:
    member = member_of(boot="", life="")
    found = joined(member, status_of("b1", {0: 0, 1: 0}))
    assert (found.forgot, found.is_twin, found.joined.forgot) == ({}, False, False)
    assert (found.joined.boot, found.joined.life) == ("b1", "l1")
    assert (member.boot, member.life, member.earlier_boots) == ("b1", "l1", set())
    assert not found.joined.went_on


def test_a_process_that_speaks_already_joins_once() -> None:
    member = member_of()
    assert newcomer(member, status_of("b1", {0: 0, 1: 0}), COUNTED) is None  # it may be stale
    assert (member.boot, member.earlier_boots) == ("b1", set())


@pytest.mark.parametrize(
    ("pulls", "forgot"),
    [
        ({0: 8, 1: 4}, {}),
        ({0: 9, 1: 4}, {}),  # more than it told
        ({0: 7, 1: 4}, {0: 7}),
        ({0: 8, 1: 0}, {1: 0}),
        ({0: 0, 1: 1}, {0: 0, 1: 1}),
        ({1: 3, 5: 2}, {1: 3}),  # of arm 5 nothing was told
    ],
)
def test_a_successor_forgot_what_it_remembers_less_of_than_was_told(
    pulls: dict[int, int], forgot: dict[int, int]
) -> None:
    member = member_of()
    found = joined(member, status_of("b2", pulls, Start(boot="b1", pulls={})))
    assert found.forgot == forgot
    assert found.joined.forgot is bool(forgot)
    assert found.joined.went_on
    assert (member.boot, member.earlier_boots) == ("b2", {"b1"})


def test_what_the_direct_successor_remembered_decides_and_not_what_came_after() -> None:
    """b2 forgot; by the time of b3 as many pulls had been made again."""
    found = joined(
        member_of(),
        status_of(
            "b3",
            {0: 8, 1: 4},
            Start(boot="b0", pulls={0: 1}),
            Start(boot="b1", pulls={0: 0, 1: 4}),
            Start(boot="b2", pulls={0: 5, 1: 4}),
        ),
    )
    assert found.forgot == {0: 5}
    assert found.joined.forgot


def test_a_memory_that_does_not_know_the_process_before_begins_anew_with_all_arms() -> None:
    """It shares with it no more than it remembers itself, nor than was told."""
    found = joined(member_of(), status_of("b9", {0: 20, 1: 3, 5: 7}, Start(boot="b0", pulls={})))
    assert found.forgot == {0: 8, 1: 3}


def test_in_another_life_nothing_is_shared() -> None:
    member = member_of()
    found = joined(
        member, status_of("b2", {0: 8, 1: 4, 5: 1}, Start(boot="b1", pulls={}), life="l2")
    )
    assert found.forgot == {0: 0, 1: 0}
    assert member.life == "l2"


def test_a_process_that_had_been_replaced_and_is_back_is_a_twin() -> None:
    member = member_of()
    assert not joined(member, status_of("b2", None, Start(boot="b1", pulls={}))).is_twin
    assert not joined(member, status_of("b3", None, Start(boot="b2", pulls={0: 8, 1: 4}))).is_twin
    assert joined(member, status_of("b1")).is_twin
    assert member.boot == "b1"
    assert joined(member, status_of("b3", None, Start(boot="b2", pulls={}))).is_twin


def test_a_device_without_a_status_joins_once_and_what_it_forgot_is_not_known() -> None:
    member = member_of(boot="", life="")
    found = joined(member, Status(presence=Presence.ONLINE))
    assert found.joined.is_silent
    assert (found.forgot, found.is_twin) == ({}, False)
    assert newcomer(member, Status(presence=Presence.ONLINE), COUNTED) is None


def test_a_hundred_processes_join_at_once_and_then_one_a_minute() -> None:
    joins = Joins()
    assert sum(joins.take("gw", 5.0) for _ in range(150)) == 100
    assert joins.take("other", 5.0)
    assert not joins.take("gw", 64.9)
    assert joins.take("gw", 65.0)
    assert not joins.take("gw", 65.0)
    assert sum(joins.take("gw", 65.0 + 180.0) for _ in range(9)) == 3
    assert sum(joins.take("gw", 1e6) for _ in range(150)) == 100  # no more, however long ago
