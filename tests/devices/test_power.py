"""Power cuts, torn writes and a full flash: no answer is lost, none is given twice."""

import binascii
import json
import random

import pytest
from devices.benches import Bench, FileBench, Reply, micropython_bench
from devices.vectors import Case, Outcome, recorded

from bitarm.core.codes import Above, Nearest
from bitarm.core.epochs import run_field
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.tasks import Challenge
from bitarm.core.messages import Request
from bitarm.core.question import Question
from bitarm.wire import encode

CUTS = 1000
LONGEST = 1100
"""More bytes than any agent keeps."""

PLAYED = [
    (case, outcomes)
    for case, outcomes in recorded()
    if case.rewards and "power" not in case.name and all(o.refuse is None for o in outcomes)
]


class Storm:
    """Serves cases while power fails at random."""

    def __init__(self, bench: Bench, seed: int) -> None:
        self._bench, self._draw, self.cuts = bench, random.Random(seed), 0

    def weather(self, case: Case, expected: list[Outcome]) -> None:
        """Play a case; every answer must be that of an agent whose power never failed."""
        self._ask(case.begin)
        before: bytes | None = None
        for event, outcome in zip(case.events, expected, strict=True):
            said, count = self._serve(case, event.hear, before)
            assert said <= {outcome.say}, case.name
            assert said or outcome.say is None, case.name
            assert count == outcome.count, case.name
            before = outcome.say or before

    def _serve(
        self, case: Case, frame: bytes, before: bytes | None
    ) -> tuple[set[bytes | None], int]:
        heard = f"hear {frame.hex()}"
        said: set[bytes | None] = set()
        left = self._draw.randint(0, 3)  # cuts: without end, long questions would have none either
        reply = self._ask(heard)
        while True:
            if reply.kind not in ("say", "quiet"):
                assert reply.kind in ("full", "dead"), reply
                assert reply.frame is None
            elif reply.frame is not None:
                said.add(reply.frame)
            failed = reply.kind in ("full", "dead")
            if failed or (left and self._draw.random() < 0.3):
                self.cuts, left = self.cuts + 1, max(left - 1, 0)
                started = self._ask("cut")
                said |= {started.frame} - {None, before}
                if left:
                    self._trouble()
                reply = self._ask(heard)
            elif not reply.wanted:
                return said, reply.count
            else:
                size = min(reply.wanted, self._draw.randint(1, 200))
                rewards = case.rewards[reply.count : reply.count + size]
                reply = self._ask(f"give {' '.join(map(str, rewards))}")

    def _trouble(self) -> None:
        if self._draw.random() < 0.3:
            self._ask(f"tear {self._draw.randrange(LONGEST)}")
        elif self._draw.random() < 0.2:
            self._ask(f"full {self._draw.randint(1, 2)}")

    def _ask(self, line: str) -> Reply:
        return self._bench.ask(f"0 {line}")


@pytest.mark.slow
def test_a_thousand_power_cuts_change_no_answer(bench: Bench) -> None:
    storm = Storm(bench, seed=1)
    while storm.cuts < CUTS:
        for case, expected in PLAYED:
            storm.weather(case, expected)


@pytest.mark.slow
def test_a_thousand_power_cuts_change_no_answer_in_micropython(node_bench: Bench) -> None:
    test_a_thousand_power_cuts_change_no_answer(node_bench)


def served(bench: Bench) -> tuple[Case, list[Outcome]]:
    """An agent that has answered all but the last question of a challenged arm."""
    case, expected = next((c, e) for c, e in PLAYED if c.name == "beta, arm 1")
    bench.ask(f"0 {case.begin}")
    for event in case.events[:1]:
        reply = bench.ask(f"0 hear {event.hear.hex()}")
        while reply.wanted:
            rewards = case.rewards[reply.count : reply.count + reply.wanted]
            reply = bench.ask(f"0 give {' '.join(map(str, rewards))}")
    return case, expected


@pytest.mark.parametrize("torn", range(0, LONGEST, 37))
def test_a_battery_that_dies_in_a_write_leaves_what_was_kept_before(
    bench: Bench, torn: int
) -> None:
    case, expected = served(bench)
    bench.ask(f"0 tear {torn}")
    reply = bench.ask(f"0 hear {case.events[1].hear.hex()}")
    while reply.kind == "quiet":
        rewards = case.rewards[reply.count : reply.count + reply.wanted]
        reply = bench.ask(f"0 give {' '.join(map(str, rewards))}")
    assert (reply.kind, reply.frame) == ("dead", None)
    started = bench.ask("0 cut")
    assert (started.frame, started.count) == (expected[0].say, expected[0].count)


def test_a_full_flash_keeps_an_agent_from_answering_until_there_is_room(bench: Bench) -> None:
    case, expected = served(bench)
    bench.ask("0 full 3")
    reply = bench.ask(f"0 hear {case.events[1].hear.hex()}")
    kinds = []
    while reply.kind != "say":
        kinds.append(reply.kind)
        assert reply.frame is None
        if reply.wanted:
            assert reply.kind == "quiet", "it goes on pulling before it could look"
            rewards = case.rewards[reply.count : reply.count + reply.wanted]
            reply = bench.ask(f"0 give {' '.join(map(str, rewards))}")
        else:
            reply = bench.ask(f"0 hear {case.events[1].hear.hex()}")
    assert kinds.count("full") == 3
    assert (reply.frame, reply.count) == (expected[1].say, expected[1].count)


def test_an_arm_that_could_not_keep_that_it_is_beaten_has_not_said_so(bench: Bench) -> None:
    scale = Scale(bounded=True, low=0.0, unit=1.0)
    near = Nearest(centre=0.5, step=0.125, divisor=2)
    lost = Challenge(edge=0.875, first=2, hurdles=(40, 40, 40))
    asked = [
        encode(Request(run=run_field(1, 1), arm=0, message=number, question=question)).hex()
        for number, question in (
            (1, Question(until=64, code=near, scale=scale)),
            (2, Question(until=64, code=Above(low=0.5, step=0.125), scale=scale, task=lost)),
        )
    ]
    bench.ask("0 new 16 0 65536 1000")
    bench.ask(f"0 hear {asked[0]}")
    assert bench.ask(f"0 give {' '.join(['6553'] * 64)}").kind == "say"
    bench.ask("0 full 2")
    for kind, rests in (("full", "quiet"), ("full", "quiet"), ("say", "rest")):
        assert bench.ask(f"0 hear {asked[1]}").kind == kind
        assert bench.ask("0 rest").kind == rests
    assert bench.ask("0 cut").kind == "say"
    assert bench.ask("0 rest").kind == "rest"


def test_a_dismissal_that_could_not_be_kept_is_kept_when_it_comes_again(bench: Bench) -> None:
    case, _ = next((c, e) for c, e in PLAYED if c.name == "dismissals")
    asked, dismissed = case.events[0].hear.hex(), case.events[1].hear.hex()
    bench.ask(f"0 {case.begin}")
    bench.ask("0 full 1")
    assert bench.ask(f"0 hear {dismissed}").kind == "full"
    assert bench.ask(f"0 hear {dismissed}").kind == "quiet"
    bench.ask("0 cut")
    reply = bench.ask(f"0 hear {asked}")
    assert (reply.kind, reply.wanted) == ("quiet", 0)


def test_whoever_is_dismissed_wants_no_more_rewards(bench: Bench) -> None:
    """Whether or not that could be kept: a write that failed is no reason to pull on."""
    case, _ = next((c, e) for c, e in PLAYED if c.name == "dismissals")
    asked, dismissed = case.events[0].hear.hex(), case.events[1].hear.hex()
    for full in (0, 1):
        bench.ask(f"0 {case.begin}")
        assert bench.ask(f"0 hear {asked}").wanted == 2
        assert bench.ask("0 give 1000").wanted == 1
        bench.ask(f"0 full {full}")
        assert bench.ask(f"0 hear {dismissed}").wanted == 0


def test_what_is_no_memory_is_not_remembered() -> None:
    """Bytes of anything in both slots: the agent begins anew."""
    bench = micropython_bench()
    draw = random.Random(2)
    for size in (0, 1, 4, 5, 64, 400):
        arm = bench.Arm(16, 0, 65536, 1000)
        arm.flash.slots = [draw.randbytes(size), draw.randbytes(size)]
        assert arm.serve("cut", []) is None
        assert (arm.agent.heard, arm.agent.count) == (None, 0)


def test_a_record_that_lacks_its_last_byte_is_no_record() -> None:
    """With the check sum at its end, one in 256 would pass: the sum of a sum is known."""
    module = micropython_bench()
    arm = module.Arm(16, 0, 65536, 1000)
    for count in range(1, 700):
        arm.agent.count = count
        arm.agent.save()
        whole = arm.flash.slots[count & 1]
        arm.flash.slots = [whole[:-1], b""]
        assert module.Agent(arm.flash, 16, 0, 65536).count == 0
        arm.flash.slots = [whole, b""]
        assert module.Agent(arm.flash, 16, 0, 65536).count == count


def test_a_board_that_is_off_between_its_pulls_writes_once_a_look() -> None:
    case, expected = next((c, e) for c, e in PLAYED if c.name == "a challenge that is lost")
    arm = micropython_bench().Arm(case.fraction, case.low, case.high, case.most_pulls)
    for event in case.events:
        said = arm.serve("hear", [event.hear.hex()])
        while not said:
            writes, count = arm.flash.writes, arm.agent.count
            said = arm.serve("give", [str(case.rewards[count])])
            if not said and arm.flash.writes > writes:  # it has looked
                said = arm.serve("cut", [])
                assert (arm.flash.writes, arm.agent.count) == (writes + 1, count + 1)
    assert said == expected[-1].say


def test_sums_in_other_units_are_not_gone_on_with() -> None:
    bench = FileBench()
    served(bench)
    module = micropython_bench()
    arm = module.Arm(16, 0, 65536, 1000)
    case, _ = next((c, e) for c, e in PLAYED if c.name == "beta, arm 1")
    arm.serve("hear", [case.events[0].hear.hex()])
    arm.agent.save()
    with pytest.raises(module.Refusal, match="other units"):
        module.Agent(arm.flash, 20, 0, 65536)
    older = json.dumps([1, 16, [], []]).encode()
    arm.flash.slots = [binascii.crc32(older).to_bytes(4, "big") + older, b""]
    with pytest.raises(module.Refusal, match="another version"):
        module.Agent(arm.flash, 16, 0, 65536)
