"""Processes whose memories go back in time, are damaged, or belong to two: the answer stays right.

Rewards are live, so nothing can be read again. The arms are far enough apart that a wrong answer
is a failure of the protocol, not of chance.
"""

import re
import shutil
from pathlib import Path

import paho.mqtt.client as paho
import pytest
from brokers import CuttableLine, PlainBroker
from e2e.memories import DELTA, LiveField, live_field, lose_memory
from e2e.processes import NAMES, RUN
from loopback import eventually
from paho.mqtt.enums import CallbackAPIVersion

from bitarm.core.events import ArmDropped, CaveatNoted, EpochBegan, LivesBegan
from bitarm.wire.topics import ROOT

pytestmark = pytest.mark.slow

_REPORTS = f"{ROOT}/{RUN}/north/report"

schemes = pytest.mark.parametrize("scheme", ["paper", "path"])


def _level(scheme: str, *lives: int) -> float:
    """What is claimed where the two arms that forgot most have had so many lives."""
    most, second = lives
    return DELTA * (most * second if scheme == "path" else 1)


# -- agents' files ---------------------------------------------------------------------------


@schemes
def test_an_agent_s_file_goes_back_in_time_again_and_again(
    scheme: str, broker: PlainBroker, tmp_path: Path
) -> None:
    with live_field(tmp_path, broker.url, scheme) as place:
        place.begin()
        for name, reports, more in (("north", 6, 1), ("south", 15, 2), ("north", 25, 3)):
            place.wait_for_reports(reports)
            memory = place.file_of(name).read_bytes()
            place.wait_for_more(name, more + 1)  # of which the file may know of one
            place.put_back(name, memory)
        result = place.ended()
        assert result["forgotten"] == 3
        assert result["restarts"] == 3
        assert not result["restored"]
        assert result["guarantee"] == pytest.approx(_level(scheme, 3, 2))
        assert "lost with an agent's memory 3 times" in result["guarantee_reason"]


@schemes
def test_one_agent_served_by_two_processes(
    scheme: str, broker: PlainBroker, tmp_path: Path
) -> None:
    """They push each other off the broker, and each answers while it is there."""
    other = tmp_path / "elsewhere"
    with live_field(tmp_path, broker.url, scheme) as place:
        place.begin()
        place.wait_for_reports(9)
        if scheme == "path":  # a clone of the machine, memory and all
            (other / RUN).mkdir(parents=True)
            shutil.copy(place.file_of("north"), other / RUN)
        words = ("agent", str(place.problem), "--agent", "north", "--run", RUN)
        place.start("double", *words, "--state", str(other))
        place.wait_for_event(CaveatNoted)
        place.kill("double" if scheme == "paper" else "north")
        assert place.wait("learner") == 0, place.said("learner")
        served = ("north" if scheme == "paper" else "double", "south", "tower")
        assert [place.wait(name) for name in served] == [0, 0, 0]
        result = place.checked()
        assert result["guarantee"] is None
        assert "two processes" in result["guarantee_reason"]


def test_an_agent_s_file_is_damaged_swapped_or_lost(broker: PlainBroker, tmp_path: Path) -> None:
    with live_field(tmp_path, broker.url, "path") as place:
        place.begin()

        place.wait_for_reports(12)
        place.kill("north")
        _change_a_digit(place.file_of("north"))
        place.start_agent("north")
        _assert_refused(place, "north", "check sum")
        place.file_of("north").unlink()
        place.start_agent("north")

        place.wait_for_reports(21)
        place.kill("north")
        place.kill("south")
        files = [place.file_of(name) for name in ("north", "south")]
        memories = [path.read_bytes() for path in files]
        for path, memory in zip(files, reversed(memories), strict=True):
            path.write_bytes(memory)
        place.start_agent("north")
        place.start_agent("south")
        _assert_refused(place, "north", "agent south's")
        _assert_refused(place, "south", "agent north's")
        for path, memory in zip(files, memories, strict=True):
            path.write_bytes(memory)
        place.start_agent("north")
        place.start_agent("south")

        place.wait_for_reports(30)
        place.kill("south")
        place.file_of("south").unlink()
        place.start_agent("south")

        result = place.ended()
        assert result["forgotten"] == 2
        assert result["guarantee"] == pytest.approx(_level("path", 2, 2))


def _change_a_digit(path: Path) -> None:
    text = path.read_text()
    digit = re.search(r'"total": (\d)', text)
    assert digit is not None, text
    other = str(9 - int(digit[1]))
    path.write_text(text[: digit.start(1)] + other + text[digit.end(1) :])


def _assert_refused(place: LiveField, name: str, why: str) -> None:
    """The agent says what to do and ends; the learner's log names it, and the reason."""
    assert place.wait(name) == 1, place.said(name)
    last = place.said(name).splitlines()[-1]
    assert why in last
    assert "remove it" in last
    eventually(
        lambda: re.search(rf"agent {name} failed: .*{why}", place.said("learner")),
        f"a word about {name}: {place.said('learner')}",
    )


# -- the journal -----------------------------------------------------------------------------


@schemes
def test_the_journal_is_restored_from_a_backup(
    scheme: str, broker: PlainBroker, tmp_path: Path
) -> None:
    """The agents are ahead, and one that has left since is wanted again."""
    with live_field(tmp_path, broker.url, scheme) as place:
        place.begin()
        place.wait_for_reports(9)
        copy = place.copy_journal("backup.sqlite")
        place.wait_for_event(ArmDropped)
        gone, *_ = [NAMES[event.arm] for event in place.events() if isinstance(event, ArmDropped)]
        others = [name for name in NAMES if name != gone]
        for name in others:
            place.pause(name)  # or the run might end before its learner
        assert place.wait(gone) == 0  # out of the race, for all that it knows
        place.kill("learner")
        place.restore_journal(copy)
        for name in others:
            place.thaw(name)
        place.start_learner()
        eventually(lambda: "goes on in epoch 2" in place.said("north"), "a learner that is back")
        place.start_agent(gone)
        result = place.ended()
        assert result["restored"]
        assert result["forgotten"] == 0
        assert result["guarantee"] == pytest.approx(DELTA)


@schemes
def test_the_journal_is_restored_and_the_broker_has_forgotten_everything(
    scheme: str, broker: PlainBroker, tmp_path: Path
) -> None:
    """The learner takes an epoch that its agents have heard of, and only they can tell."""
    with live_field(tmp_path, broker.url, scheme) as place:
        place.begin()
        place.wait_for_reports(9)
        copy = place.copy_journal("backup.sqlite")
        place.wait_for_reports(12)
        place.kill("learner")
        place.start_learner()
        place.wait_for_event(EpochBegan)
        place.wait_for_more("north", 2)
        place.kill("learner")
        place.restore_journal(copy)
        lose_memory(broker, tmp_path)
        place.start_learner()
        result = place.ended()
        assert result["restored"]
        assert result["forgotten"] == 0
        assert result["guarantee"] == pytest.approx(DELTA)


# -- two learners ----------------------------------------------------------------------------


@pytest.mark.parametrize("journal", ["shared", "copied"])
def test_a_paused_learner_wakes_beside_its_successor(
    journal: str, broker: PlainBroker, tmp_path: Path
) -> None:
    shared = journal == "shared"
    with live_field(tmp_path, broker.url, "paper" if shared else "path") as place:
        place.begin()
        place.wait_for_reports(9)
        place.pause("learner")
        _succeed(place, shared=shared)
        place.thaw("learner")
        _assert_yielded(place, shared=shared)


def test_a_learner_that_was_cut_off_returns_to_its_successor(
    broker: PlainBroker, line: CuttableLine, tmp_path: Path
) -> None:
    """It connects anew, and hears the agents speak of a later epoch as well."""
    with live_field(tmp_path, broker.url, "paper") as place:
        place.begin(learner_url=f"mqtt://127.0.0.1:{line.port}")
        place.wait_for_reports(9)
        line.cut()
        _succeed(place, shared=False)
        line.mend()
        _assert_yielded(place, shared=False)


def _succeed(place: LiveField, *, shared: bool) -> None:
    """Another learner goes on with the run, and has begun to work."""
    if not shared:
        place.store = place.copy_journal("copy.sqlite")
    place.start_successor(place.store)
    place.wait_for_event(EpochBegan)
    place.wait_for_more("north", 2)


def _assert_yielded(place: LiveField, *, shared: bool) -> None:
    code, said = place.wait("learner"), place.said("learner")
    if code == 1 and shared:  # it tried to write first
        assert "runs.sqlite" in said.splitlines()[-1]
    else:
        assert code == 4, said
        assert f"another learner has taken over run '{RUN}'" in said.splitlines()[-1]
    assert not (place.folder / "learner.out").read_text()
    result = place.ended("successor")
    assert sum(isinstance(event, EpochBegan) for event in place.events()) == 1
    assert not result["restored"]
    assert result["forgotten"] == 0
    assert result["guarantee"] == pytest.approx(DELTA)


# -- everything at once ----------------------------------------------------------------------


def test_reports_of_an_earlier_epoch_come_late(broker: PlainBroker, tmp_path: Path) -> None:
    """Into a system that was put back as a whole to before they were sent."""
    late: list[bytes] = []
    client = paho.Client(CallbackAPIVersion.VERSION2)
    client.on_message = lambda client, data, message: late.append(bytes(message.payload))
    client.connect("127.0.0.1", broker.port)
    client.subscribe(_REPORTS, qos=1)
    client.loop_start()
    try:
        with live_field(tmp_path, broker.url, "path") as place:
            place.begin()
            place.wait_for_reports(6)
            copy = place.copy_journal("backup.sqlite")
            memories = {name: place.file_of(name).read_bytes() for name in NAMES}
            place.wait_for_more("north", 5)
            for name in ("learner", *NAMES):
                place.kill(name)
            client.unsubscribe(_REPORTS)
            place.restore_journal(copy)
            for name, memory in memories.items():
                place.file_of(name).write_bytes(memory)
            place.begin()
            place.wait_for_event(EpochBegan)
            place.wait_for_more("north", 1)
            for frame in late * 2:
                client.publish(_REPORTS, frame, qos=1)
            eventually(lambda: "(10 refused" in place.said("learner"), "refusals, counted")
            result = place.ended()
            refused = [line for line in place.said("learner").splitlines() if "refused" in line]
            assert all("is of epoch 1, this is epoch 2" in line for line in refused)
            assert result["guarantee"] == pytest.approx(DELTA)
    finally:
        client.loop_stop()
        client.disconnect()


@schemes
def test_agents_and_learner_go_back_to_different_moments(
    scheme: str, broker: PlainBroker, tmp_path: Path
) -> None:
    with live_field(tmp_path, broker.url, scheme) as place:
        place.begin()
        place.wait_for_reports(6)
        north = place.file_of("north").read_bytes()
        place.wait_for_more("north", 3)
        copy = place.copy_journal("backup.sqlite")
        place.wait_for_more("south", 3)
        south = place.file_of("south").read_bytes()
        place.wait_for_more("south", 2)
        place.kill("learner")
        place.restore_journal(copy)
        place.put_back("north", north)  # behind the journal
        place.put_back("south", south)  # ahead of it, and behind what it told
        place.start_learner()
        result = place.ended()
        assert result["restored"]
        assert result["forgotten"] == 1
        assert sum(isinstance(event, LivesBegan) for event in place.events()) == 1
        assert result["guarantee"] == pytest.approx(_level(scheme, 2, 1))
