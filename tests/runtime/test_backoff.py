"""A process that is pushed off comes back later each time, and never gives up."""

from bitarm.runtime.backoff import Backoff


def test_a_connection_that_held_is_made_again_at_once() -> None:
    backoff = Backoff()
    assert [backoff.after_loss(3600.0) for _ in range(5)] == [0.1] * 5
    assert backoff.pushes == 0


def test_attempts_that_fail_come_less_often() -> None:
    backoff = Backoff()
    waits = [backoff.after_failure() for _ in range(9)]
    assert waits == sorted(waits)
    assert (waits[0], waits[-1]) == (0.1, 5.0)


def test_connections_that_do_not_last_come_less_often_and_are_told_now_and_then() -> None:
    backoff = Backoff()
    waits, told = [], []
    for _ in range(100):
        waits.append(backoff.after_loss(0.2))
        if backoff.is_suspect:
            told.append(backoff.pushes)
    assert waits == sorted(waits)
    assert waits[-1] == 30.0
    assert told == [3, 6, 12, 24, 48, 96]


def test_two_processes_that_push_each_other_off_do_not_keep_at_it() -> None:
    """Each is there for as long as the other waits: that is no connection that held."""
    one, other = Backoff(), Backoff()
    wait = 0.1
    for _ in range(20):
        wait = one.after_loss(other.after_loss(wait))
    assert wait > 10
    assert one.pushes >= 20


def test_a_connection_that_holds_ends_the_suspicion() -> None:
    backoff = Backoff()
    for _ in range(20):
        backoff.after_loss(0.0)
    assert backoff.after_loss(600.0) == 0.1
    assert backoff.pushes == 0
    assert not backoff.is_suspect
