"""What an account may have the broker keep."""

from bitarm.runtime.broker.shares import Shares


def _status(run: int, agent: str = "gw-1") -> str:
    return f"bitarm/v2/run-{run}/{agent}/status"


def test_the_oldest_beyond_the_share_are_cleared() -> None:
    shares = Shares(most=3, most_bytes=1000)
    assert [shares.note(_status(run), 10) for run in range(3)] == [[], [], []]
    assert shares.note(_status(3), 10) == [_status(0)]
    assert shares.note(_status(2), 10) == []  # said again: now the newest
    assert shares.note(_status(4), 10) == [_status(1)]
    assert shares.note(_status(5), 10) == [_status(3)]


def test_bytes_count_too() -> None:
    shares = Shares(most=100, most_bytes=1000)
    for run in range(4):
        assert shares.note(_status(run), 250) == []
    assert shares.note(_status(4), 600) == [_status(0), _status(1), _status(2)]
    assert shares.note(_status(5), 2000) == [_status(3), _status(4), _status(5)]


def test_what_was_cleared_makes_room() -> None:
    shares = Shares(most=2, most_bytes=1000)
    for run in range(2):
        shares.note(_status(run), 10)
    assert shares.note(_status(0), 0) == []
    assert shares.note(_status(2), 10) == []


def test_each_account_has_its_own_share_and_the_learner_has_none() -> None:
    shares = Shares(most=1, most_bytes=1000)
    for agent in ("gw-1", "gw-2"):
        assert shares.note(_status(0, agent), 10) == []
    for run in range(5):
        assert shares.note(_status(run, "learner"), 10) == []
