"""Events in words: a sentence for each kind, and a name for kinds that this version lacks."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from bitarm.api.scheme import build
from bitarm.core.bits import Symbol
from bitarm.core.events import (
    AgentJoined,
    ArmDropped,
    CaveatNoted,
    EpochBegan,
    LivesBegan,
    PositionTold,
    ReportAccepted,
    ReportIgnored,
    RunOpened,
    TrafficMeasured,
)
from bitarm.core.sentences import sentence_of


@dataclass
class Unheard:
    """A kind of event from the future."""

    name: ClassVar[str] = "arms_unheard"
    arms: tuple[int, ...]
    round: int


SETUP = build(("north", "south"), seed=1, problem={"bounds": (0.0, 1.0)}, scheme={}, limits={})


def test_known_events_have_a_sentence() -> None:
    opened = sentence_of(RunOpened(setup=SETUP, opening="roofs"), SETUP)
    assert opened == f"run {SETUP.fingerprint:08x} opened: 2 arms, dyadic, δ = 0.05"
    dropped = ArmDropped(round=3, arm=1, because=0)
    assert sentence_of(dropped, SETUP) == "south is out in round 3: north is better"
    beaten = ReportAccepted(
        round=3,
        arm=1,
        message=2,
        pulls=17,
        symbol=Symbol(0, 1),
        mean=0.75,
        error=0.1,
        radius=0.2,
        beaten_by=0,
    )
    assert sentence_of(beaten, SETUP) == "south gave up with 0 (message 2): north is better"
    tolerant = build(
        ("north", "south"),
        seed=1,
        problem={"bounds": (0.0, 1.0), "epsilon": 0.1},
        scheme={},
        limits={},
    )
    assert sentence_of(beaten, tolerant) == (
        "south gave up with 0 (message 2): north is better, or at most 0.1 worse"
    )
    told = replace(beaten, beaten_by=None, symbol=Symbol(6, 3))
    assert sentence_of(told, SETUP) == "south reported 110 (message 2): 0.75 ± 0.2"
    repeated = ReportIgnored(arm=0, message=2)
    assert sentence_of(repeated, SETUP) == "north sent message 2 again: ignored"
    assert sentence_of(replace(repeated, times=1_500), SETUP) == (
        "north sent message 2 and others again, 1,500 times: ignored"
    )
    assert sentence_of(CaveatNoted(text="clipped"), SETUP) == "caveat: clipped"
    traffic = TrafficMeasured(payload_bytes=1, wire_bytes_up=1100, wire_bytes_down=12)
    assert sentence_of(traffic, SETUP) == "frames as sent: 1,100 bytes up, 12 bytes down"


def test_a_run_that_somebody_goes_on_with() -> None:
    assert sentence_of(EpochBegan(epoch=2), SETUP) == "a learner went on with the run, epoch 2"
    assert sentence_of(PositionTold(round=3, arm=1, pulls=4096), SETUP) == (
        "south has made 4,096 pulls, more than it was asked for: "
        "this journal is older than what it remembers"
    )
    assert sentence_of(LivesBegan(arms=(0, 1), pulls=(0, 0)), SETUP) == (
        "north, south: earlier live rewards are lost, counted anew"
    )


def test_an_agent_that_joins_and_one_that_comes_back() -> None:
    joined = AgentJoined(agent="gw-1", boot="b1", life="l1")
    assert sentence_of(joined, SETUP) == "agent gw-1 joined"
    back = replace(joined, boot="b2", restarts=1)
    assert sentence_of(back, SETUP) == "agent gw-1 restarted, once by now"
    again = replace(joined, boot="b3", restarts=2, discarded=3)
    assert sentence_of(again, SETUP) == (
        "agent gw-1 restarted, 2 times by now; "
        "3 batches of live rewards, cut short by a crash, discarded so far"
    )


def test_an_unknown_kind_is_named_with_its_arms() -> None:
    event: Any = Unheard(arms=(1, 7), round=4)
    assert sentence_of(event, SETUP) == "south, arm 7: arms unheard"
