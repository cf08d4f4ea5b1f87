"""Who is there: one table of an agent's whereabouts, and what it means for asking again."""

from itertools import product

import pytest

from bitarm.core.events import FleetAssigned
from bitarm.runtime.learner.roster import ATTENDANCE, Attendance, Member, Roster, Sign
from bitarm.wire.status import Presence, Status

OURS = "opening"


def _roster() -> tuple[Roster, Member]:
    roster = Roster(FleetAssigned(fleet="lab", agents=("gw",)), OURS, retry=10.0, now=0.0)
    return roster, roster.members["gw"]


def test_the_table_has_all_cases() -> None:
    assert set(ATTENDANCE) == set(product(Attendance, Sign))


@pytest.mark.parametrize(
    ("presence", "opening", "sign"),
    [
        (Presence.ONLINE, OURS, Sign.HERE),
        (Presence.PULLING, OURS, Sign.HERE),
        (Presence.DONE, OURS, Sign.FINISHED),
        (Presence.OFFLINE, OURS, Sign.GONE),
        (Presence.FAILED, OURS, Sign.GONE),
        (Presence.ONLINE, None, Sign.ELSEWHERE),
        (Presence.DONE, "another", Sign.ELSEWHERE),
        (Presence.OFFLINE, "another", Sign.GONE),
    ],
)
@pytest.mark.parametrize("before", Attendance)
def test_a_status_is_a_sign(
    before: Attendance, presence: Presence, opening: str | None, sign: Sign
) -> None:
    roster, member = _roster()
    member.attendance = before
    roster.told(member, Status(presence=presence, opening=opening), now=1.0)
    assert member.attendance is ATTENDANCE[before, sign]


def test_who_comes_is_asked_at_once_and_who_is_at_it_is_not() -> None:
    roster, member = _roster()
    at_it = Status(presence=Presence.PULLING, opening=OURS)
    assert roster.told(member, at_it, now=1.0)  # its first word: it may miss a question
    assert not roster.told(member, at_it, now=2.0)
    assert roster.told(member, Status(presence=Presence.ONLINE, opening=OURS), now=3.0)


def test_an_absence_begins_when_the_connection_breaks_and_not_again() -> None:
    roster, member = _roster()
    gone = Status(presence=Presence.OFFLINE, opening=OURS)
    roster.told(member, Status(presence=Presence.ONLINE, opening=OURS), now=1.0)
    roster.told(member, gone, now=5.0)
    roster.told(member, gone, now=9.0)
    assert (member.heard_at, member.has_joined) == (5.0, True)


def test_no_absence_counts_while_the_learner_was_away_itself() -> None:
    roster, member = _roster()
    roster.told(member, Status(presence=Presence.ONLINE, opening=OURS), now=1.0)
    roster.reconnected(now=60.0)
    assert (member.attendance, member.heard_at) == (Attendance.AWAY, 60.0)
