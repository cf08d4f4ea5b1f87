"""Near ties are noticed while a run goes on, and a run in a pipe says where it is."""

import random
import re
import time
from typing import Any

import pytest

import bitarm
from bitarm.cli.show.heartbeat import Heartbeat
from bitarm.cli.show.live import standings_table
from bitarm.cli.show.outlook import near_tie, progress_line
from bitarm.core.events import LearnerEvent, RunEnded
from bitarm.core.standings import Standings


def _events(means: tuple[float, ...], **words: Any) -> list[LearnerEvent]:
    rngs = [random.Random(f"{n} {mean}") for n, mean in enumerate(means)]
    arms = [
        (lambda rng=rng, mean=mean: float(rng.random() < mean))
        for rng, mean in zip(rngs, means, strict=True)
    ]
    events: list[LearnerEvent] = []
    given: dict[str, Any] = {"policy": "se", "quantizer": "icq", **words}
    bitarm.identify(arms, bounds=(0, 1), seed=1, watch=events.extend, **given)
    return events


def _going_on(events: list[LearnerEvent]) -> Standings:
    end = next(at for at, event in enumerate(events) if isinstance(event, RunEnded))
    return Standings.of(events[:end])


def test_a_near_tie_is_named_with_the_tolerance_that_ends_it() -> None:
    means = (0.5, 0.5, 0.1)
    said = near_tie(_going_on(_events(means, max_samples=20_000)))
    assert said is not None
    found = re.fullmatch(
        r"(arm-[01]) and arm-[01] are nearly level: at δ = 0\.05, \1 is at most (\S+) below the "
        r"best\. --epsilon \2 would end this now",
        said,
    )
    assert found is not None, said
    events = _events(means, epsilon=float(found[2]), max_samples=20_000)
    ending = next(event for event in events if isinstance(event, RunEnded))
    assert ending.best_arm == int(found[1][-1])  # the same rewards, and it ends by then


@pytest.mark.parametrize(
    "scheme",
    [
        {"policy": "challenge", "quantizer": "dyadic"},
        {"policy": "challenge", "quantizer": "dyadic", "sigma": 0.5},
        {"policy": "lucb", "quantizer": "dicq"},
        {"policy": "lil-ucb", "quantizer": "dicq"},
        {"policy": "top-two", "quantizer": "dicq"},
    ],
    ids=lambda scheme: " ".join(map(str, scheme.values())),
)
def test_where_arms_move_apart_the_tolerance_is_a_likely_one(scheme: dict[str, Any]) -> None:
    means = (0.5, 0.5) if scheme["policy"] == "challenge" else (0.5, 0.5, 0.1, 0.1, 0.1)
    standings = _going_on(_events(means, max_samples=6_000, **scheme))
    said = near_tie(standings)
    assert said is not None
    found = re.search(r"--epsilon (\S+) would likely have ended this by now$", said)
    assert found is not None, said
    ended = Standings.of(_events(means, epsilon=float(found[1]), **scheme))
    assert ended.samples < 1.5 * standings.samples  # where without it there is no end


@pytest.mark.parametrize("scheme", [{}, {"policy": "challenge", "quantizer": "dyadic"}])
def test_a_few_coins_are_no_tie_yet(scheme: dict[str, Any]) -> None:
    """A tolerance of most of the range would end any run."""
    assert near_tie(_going_on(_events((0.5, 0.5), max_samples=40, **scheme))) is None
    assert near_tie(_going_on(_events((0.5, 0.5), max_samples=4_000, **scheme))) is not None


def test_a_clear_race_is_no_tie() -> None:
    assert near_tie(_going_on(_events((0.9, 0.3, 0.1), max_samples=60))) is None


def test_a_run_that_has_ended_is_no_tie() -> None:
    assert near_tie(Standings.of(_events((0.5, 0.5), max_samples=20_000))) is None


def test_the_table_shows_it() -> None:
    table = standings_table(_going_on(_events((0.5, 0.5), max_samples=20_000)), 80)
    assert "would end this now" in str(table.caption)


def test_a_line_says_where_a_run_is() -> None:
    line = progress_line(_going_on(_events((0.9, 0.3, 0.1), max_samples=60)))
    assert re.match(r"round \d+, \d+ samples, \d+ bits, \d arms in the race, arm-0 leads", line)


def test_a_run_in_a_pipe_says_something_again_and_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    events = _events((0.9, 0.3, 0.1), max_samples=60)
    said = ""
    with Heartbeat(every=0.01) as heartbeat:
        while said.count("waiting for the first reports") < 2:
            time.sleep(0.01)
            said += capsys.readouterr().err
        heartbeat.watch(events)
        while said.count("arms in the race") < 2:
            time.sleep(0.01)
            said += capsys.readouterr().err
    assert all(line.startswith("bitarm: ") for line in said.splitlines())
    capsys.readouterr()
    time.sleep(0.05)
    assert capsys.readouterr().err == ""
