"""How rewards reach an agent that must not wait for them.

    DirectFeed   sources that answer at once and can be replayed: models, recorded columns
    ThreadFeed   sources that block: functions, commands
    SensorFeed   payloads that arrive by MQTT anyway (`bitarm.rewards.sensors`)

A source is asked for rewards and waits until it has them; a feed is asked what is there.
"""

import threading
from collections import deque
from collections.abc import Sequence
from typing import Protocol, final, runtime_checkable

from bitarm.core.rewards import PULLED_AT_ONCE, RewardSource, pull_from


class RewardFeed(Protocol):
    """The rewards of one arm, as they come.

    A feed is `live` if its rewards cannot be had again. Law of the others: after `skip(n)` come the
    rewards that came after the first n in any earlier process.
    """

    live: bool

    def skip(self, count: int) -> None:
        """Pass over the first `count` rewards, which are used already; a live feed does nothing."""
        ...

    def take(self, most: int) -> Sequence[float]:
        """Rewards that are there now, `most` at most, in order; RewardError if none will come."""
        ...

    def rest(self) -> None:
        """Stop: no more rewards are wanted until `take` is called again."""
        ...


@runtime_checkable
class Replayable(RewardSource, Protocol):
    """A source whose rewards are a function of their place in the order."""

    def skip(self, count: int) -> None:
        """Pass over the next `count` rewards."""
        ...


@runtime_checkable
class Closable(Protocol):
    """A source that holds something which must be given back, such as a process."""

    def close(self) -> None:
        """Give it back; there are no rewards after that."""
        ...


@final
class DirectFeed:
    """A replayable source that answers at once, so that it is asked whenever rewards are wanted."""

    live = False

    def __init__(self, source: Replayable) -> None:
        self._source = source

    def skip(self, count: int) -> None:
        """Pass over the first `count` rewards of the source."""
        self._source.skip(count)

    def take(self, most: int) -> Sequence[float]:
        """The next rewards, no more at once than any driver takes."""
        return pull_from(self._source, min(most, PULLED_AT_ONCE))

    def rest(self) -> None:
        """Does nothing: the source works only while it is asked."""


@final
class ThreadFeed:
    """A source that blocks, on a thread of its own: the link stays alive while it does.

    The thread keeps its source alive, so who needs neither any more must `close` the feed.
    """

    live = True

    def __init__(self, source: RewardSource) -> None:
        self._source = source
        self._there: deque[float] = deque()
        self._ordered = 0
        self._closed = False
        self._error: Exception | None = None
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None

    def skip(self, count: int) -> None:
        """Does nothing: past rewards of a live source cannot be had again."""

    def take(self, most: int) -> Sequence[float]:
        """Rewards that came since the last call; the thread then fetches what `most` lacks."""
        with self._change:
            rewards = [self._there.popleft() for _ in range(min(most, len(self._there)))]
            if not rewards and self._error is not None:
                raise self._error
            self._ordered = most - len(rewards) - len(self._there)
            self._change.notify()
        if self._thread is None:
            # A daemon: a source that never answers must not keep the process from ending.
            self._thread = threading.Thread(target=self._work, daemon=True, name="rewards")
            self._thread.start()
        return rewards

    def rest(self) -> None:
        """Fetch no more; the reward of a pull that is under way is thrown away."""
        with self._change:
            self._ordered = 0
            self._there.clear()

    def close(self) -> None:
        """Give the source back: the thread does it, as soon as the source has answered."""
        with self._change:
            self._closed = True
            self._change.notify()
        if self._thread is None:
            self._give_back()

    def _give_back(self) -> None:
        if isinstance(self._source, Closable):
            self._source.close()

    def _work(self) -> None:
        try:
            self._fetch()
        finally:
            self._give_back()

    def _fetch(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._closed or self._ordered > 0)
                if self._closed:
                    return
            try:
                (reward,) = pull_from(self._source, 1)
            except Exception as error:  # handed to whoever takes, in its own thread
                with self._change:
                    self._error = error
                return
            with self._change:
                if self._ordered > 0:
                    self._there.append(reward)
                    self._ordered -= 1
