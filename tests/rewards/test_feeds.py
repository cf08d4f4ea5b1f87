"""Feeds: what is there now, without waiting."""

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from loopback import eventually

from bitarm.core.rewards import PULLED_AT_ONCE
from bitarm.errors import RewardError
from bitarm.rewards.commands import CommandSource
from bitarm.rewards.draws import ModelSource
from bitarm.rewards.feeds import DirectFeed, ThreadFeed
from bitarm.sim.models import Gaussian


class Slow:
    """A source that gives one reward each time the test lets it."""

    def __init__(self) -> None:
        self.gate = threading.Semaphore(0)
        self.given = 0

    def pull(self, count: int) -> Sequence[float]:
        self.gate.acquire()
        self.given += 1
        return [float(self.given)] * count


def _all(feed: ThreadFeed, taken: list[float], wanted: int) -> bool:
    taken.extend(feed.take(wanted - len(taken)))
    return len(taken) == wanted


def _model() -> ModelSource:
    return ModelSource(Gaussian(mean=0.0, sd=1.0), seed=3, arm=1)


@pytest.mark.parametrize("used", [0, 1, 7, PULLED_AT_ONCE + 5])
def test_after_a_skip_a_model_goes_on_where_it_was(used: int) -> None:
    whole = _model().pull(used + 10)
    feed = DirectFeed(_model())
    feed.skip(used)
    assert feed.take(10) == whole[used:]


def test_a_direct_feed_cuts_batches_as_every_driver_does() -> None:
    assert len(DirectFeed(_model()).take(10**9)) == PULLED_AT_ONCE


def test_a_blocking_source_is_not_waited_for() -> None:
    source = Slow()
    feed = ThreadFeed(source)
    assert feed.take(3) == []
    taken: list[float] = []
    for _ in range(3):
        source.gate.release()
    eventually(lambda: _all(feed, taken, 3), "three rewards")
    assert taken == [1.0, 2.0, 3.0]
    feed.rest()


def test_no_more_is_pulled_than_is_wanted() -> None:
    source = Slow()
    source.gate.release(100)
    feed = ThreadFeed(source)
    taken: list[float] = []
    eventually(lambda: _all(feed, taken, 2), "two rewards")
    assert (source.given, taken) == (2, [1.0, 2.0])


class Broken:
    def pull(self, count: int) -> Sequence[float]:
        raise OSError("the probe fell off")

    def skip(self, count: int) -> None:
        """Nothing to pass over."""


def test_the_error_of_a_source_comes_out_where_it_is_taken() -> None:
    broken = Broken()
    with pytest.raises(RewardError, match="raised OSError: the probe fell off"):
        DirectFeed(broken).take(1)
    feed = ThreadFeed(broken)

    def fails() -> bool:
        try:
            feed.take(1)
        except RewardError:
            return True
        return False

    eventually(fails, "the error")


def test_a_feed_that_is_closed_ends_its_thread_and_what_its_source_has_started() -> None:
    source = CommandSource("while :; do echo 1; done", folder=Path(), timeout=30.0, label="a")
    feed = ThreadFeed(source)
    taken: list[float] = []
    eventually(lambda: _all(feed, taken, 2), "two rewards")
    worker, process = feed._thread, source._process
    assert worker is not None
    assert process is not None
    assert (worker.is_alive(), process.poll()) == (True, None)
    feed.close()
    worker.join(10.0)
    assert not worker.is_alive()
    assert process.poll() is not None


def test_a_feed_that_nobody_took_from_can_be_closed() -> None:
    source = Slow()
    ThreadFeed(source).close()
    assert source.given == 0
