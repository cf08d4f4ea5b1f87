"""An agent that is challenged: it weighs durable rewards only, and a crash undoes no look."""

from collections.abc import Sequence

import pytest
from runtime.agent.desk import REQUESTS, Desk, answers_in, status_in
from wires.crashes import CrashingKeeper, Killed, Points
from wires.memories import MemoryKeeper

from bitarm import wire
from bitarm.core.agent import AgentPhase
from bitarm.core.codes import Above
from bitarm.core.epochs import run_field, run_of_opening
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.tasks import Challenge
from bitarm.core.messages import Position, Report, Request
from bitarm.core.question import BEATEN, Question
from bitarm.rewards.feeds import DirectFeed
from bitarm.runtime.agent.memory import AgentMemory
from bitarm.runtime.service import Publication
from bitarm.wire.status import Presence

UNTIL = 40
REQUEST = Request(
    run=run_field(run_of_opening("first"), 1),
    arm=1,
    message=1,
    question=Question(
        until=UNTIL,
        code=Above(low=0.5, step=0.125),
        scale=Scale(bounded=True, low=0.0, unit=1.0),
        task=Challenge(edge=0.875, first=0, hurdles=(80, 64, 64)),
    ),
)
ASKED = wire.encode(REQUEST)
LOW, HIGH = 0.25, 0.9375  # rewards of an arm that gives up, and of one that does not


class Column:
    """The same reward again and again, as often as it is asked for."""

    def __init__(self, reward: float) -> None:
        self._reward = reward
        self.read = 0

    def skip(self, count: int) -> None:
        self.read += count

    def pull(self, count: int) -> Sequence[float]:
        self.read += count
        return [self._reward] * count


class CountingKeeper(MemoryKeeper):
    """A memory that knows how often it was saved."""

    saves = 0

    def save(self, memory: AgentMemory) -> None:
        self.saves += 1
        super().save(memory)


def challenged(keeper: MemoryKeeper | None = None, column: Column | None = None) -> Desk:
    """An agent that has just been asked; with live rewards, unless a column is given."""
    desk = Desk(keeper)
    if column is not None:
        desk.feed = DirectFeed(column)  # type: ignore[assignment]
    desk.join()
    desk.hear(REQUESTS, ASKED)
    return desk


def fed(desk: Desk, reward: float) -> Report | Position:
    """The answer, while live rewards are there whenever they are wanted."""
    return _stepped(desk, [], reward)


def read(column: Column) -> Report | Position:
    """The answer of an agent that is left in peace."""
    desk = Desk()
    desk.feed = DirectFeed(column)  # type: ignore[assignment]
    desk.join()
    return _stepped(desk, desk.hear(REQUESTS, ASKED))


def _stepped(desk: Desk, said: list[Publication], live: float | None = None) -> Report | Position:
    """The answer, after as many steps as it takes; live rewards are there when they are wanted."""
    for _ in range(3 * UNTIL):
        for answer in answers_in(said):
            return answer
        if live is not None:
            desk.feed.there = [live] * UNTIL
        said = desk.step()
    raise AssertionError(f"no answer came: {desk.service.failure}")


def test_it_stops_as_soon_as_it_is_beaten_and_says_so_in_one_bit() -> None:
    column = Column(LOW)
    answer = read(column)
    assert isinstance(answer, Report)
    assert answer.symbol == BEATEN
    assert column.read < UNTIL / 2


def test_it_says_where_it_is_if_it_holds_out() -> None:
    column = Column(HIGH)
    answer = read(column)
    assert isinstance(answer, Report)
    assert str(answer.symbol) == "11110"  # not beaten; the fourth cell of an eighth above a half
    assert column.read == UNTIL


def test_live_rewards_are_durable_before_they_are_weighed() -> None:
    """At every look: what the machine weighs is what a restart would begin with."""
    desk = challenged()
    part = desk.service._part
    assert part is not None
    (machine,) = part.machines.values()
    look, seen = machine.look, []

    class Watched:
        def __getattr__(self, name: str) -> object:
            return getattr(machine, name)

        def look(self) -> object:
            seen.append(desk.state)
            assert desk.state == machine.state
            assert desk.state.phase is AgentPhase.LOOKING
            return look()

    part.machines[1] = Watched()  # type: ignore[assignment]
    fed(desk, LOW)
    assert len(seen) > 5


def test_rewards_that_can_be_had_again_are_not_saved_for_a_look() -> None:
    keeper = CountingKeeper()
    desk = challenged(keeper, Column(HIGH))
    before = keeper.saves
    _stepped(desk, [])
    assert keeper.saves == before + 1  # of the answer


def test_while_it_looks_it_is_at_work() -> None:
    desk = challenged()
    desk.feed.there = [LOW]
    said = desk.step()
    assert desk.service.wake_at(desk.now) == desk.now  # at once: something is to be weighed
    assert not said
    assert status_in(desk.hear(REQUESTS, ASKED)).presence is Presence.PULLING
    assert desk.service.wake_at(desk.now) > desk.now  # the source has nothing more
    assert desk.feed.resting == 0


def test_the_source_rests_once_it_is_beaten() -> None:
    desk = challenged()
    fed(desk, LOW)
    assert desk.feed.resting == 1


def test_stopped_before_a_look_it_goes_on_with_the_look() -> None:
    desk = challenged()
    desk.feed.there = [LOW]
    desk.step()
    desk.service.stop()
    assert desk.state.phase is AgentPhase.LOOKING
    again = Desk(desk.keeper)
    assert status_in(again.join()).discarded == 0
    assert again.state.pulls == 1
    assert fed(again, LOW) == fed(challenged(), LOW)


@pytest.mark.parametrize("looks", [1, 2, 5])
def test_live_rewards_that_a_crash_takes_after_a_look_are_counted(looks: int) -> None:
    """It saves before a look and pulls on after it: what came since is lost with the process."""
    desk = challenged()
    desk.feed.there = [HIGH]
    desk.step()
    for _ in range(looks):
        desk.feed.there = [HIGH]
        desk.service.step(desk.now)  # at once: too soon to save what only came
    part = desk.service._part
    assert part is not None
    assert part.machines[1].state.pulls == desk.state.pulls + 1 == looks + 1
    status = status_in(Desk(desk.keeper).join())  # without a farewell
    assert (status.restarts, status.discarded) == (1, 1)


@pytest.mark.parametrize("reward", [LOW, HIGH])
@pytest.mark.parametrize("live", [False, True])
def test_killed_at_any_point_it_gives_the_same_answer(reward: float, *, live: bool) -> None:
    """Before and after each save: between a save and its look, between a look and the answer."""

    def run(points: Points) -> tuple[Report | Position, int]:
        kept, deaths = MemoryKeeper(), 0
        while True:
            desk = Desk(CrashingKeeper(kept, points))  # type: ignore[arg-type]
            if not live:
                desk.feed = DirectFeed(Column(reward))  # type: ignore[assignment]
            try:
                desk.join()
                said = desk.hear(REQUESTS, ASKED)
                answer = _stepped(desk, said, reward if live else None)
            except Killed:
                deaths += 1
                continue
            return answer, deaths

    clean = Points()
    expected, _ = run(clean)
    for point in range(1, clean.passed + 1):
        answer, deaths = run(Points(frozenset({point})))
        assert deaths == 1
        assert answer == expected
