"""Test benches: agents on and off boards, all driven by the same lines of text.

A line goes in, one comes out. `ARM` is any whole number; each has a flash of its own:

    ARM new FRACTION LOW HIGH MOST    erase the flash and begin: rewards in units of 2^-FRACTION.
                                      A number BITS may follow: the longest answer
    ARM hear HEX                      a frame arrives
    ARM give REWARD ...               rewards, in units; no more than are wanted
    ARM cut                           power fails, and comes back
    ARM full COUNT                    so many writes fail
    ARM tear BYTES                    power fails in the next write, after so many bytes of it
    ARM rest                          has it said, for good, that it is beaten? rest, or quiet

    KIND HEX WANTED COUNT             say, quiet, or what was refused; the frame said, or -

After a torn write, lines are answered by `dead` until power is cut.
"""

import contextlib
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Protocol, final

from bitarm import wire
from bitarm.core.agent import Agent, AgentState
from bitarm.core.codes import Above, Nearest
from bitarm.core.epochs import split_field
from bitarm.core.evidence.tasks import Challenge
from bitarm.core.messages import Answer, Dismiss, Message, Request
from bitarm.core.question import BEATEN
from bitarm.errors import (
    CorruptFrameError,
    PeerProtocolError,
    RewardError,
    TruncatedFrameError,
    UnknownVersionError,
)

HERE = Path(__file__).parent
HOME = HERE.parents[1]
DEVICES = HOME / "devices"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What an agent answered to a line."""

    kind: str
    frame: bytes | None
    wanted: int
    count: int

    @classmethod
    def of(cls, line: str) -> "Reply":
        kind, frame, wanted, count = line.split()
        said = None if frame == "-" else bytes.fromhex(frame)
        return cls(kind=kind, frame=said, wanted=int(wanted), count=int(count))


class Bench(Protocol):
    """Agents that answer lines."""

    def ask(self, line: str) -> Reply:
        """The reply to one line."""
        ...


# -- the agent of this package ---------------------------------------------------------------------


class _DeadError(Exception):
    """Power has failed."""


class _FullError(Exception):
    """A write failed."""


class _PythonArm:
    """`core.agent.Agent` as a device uses it: it saves before it looks and before it speaks."""

    def __init__(
        self, fraction: int, low: int, high: int, most: int, bits: int | None = None
    ) -> None:
        self.unit, self.low, self.high, self.most = 2.0**-fraction, low, high, most
        self.bits = bits
        self.kept: tuple[int, int, AgentState] | None = None
        self.full = 0
        self.tears = self.is_dead = False
        self.agent: Agent | None = None

    def hear(self, frame: bytes) -> tuple[Answer, ...]:
        messages = wire.decode(frame)
        message = _for_a_device(messages)
        agent = self.agent
        if agent is None:
            agent = Agent(
                split_field(message.run)[0],
                message.arm,
                most_pulls=self.most,
                most_bits=self.bits,
            )
        answers = agent.receive(message)
        self.agent = agent
        if isinstance(message, Dismiss) and agent.state.cause is not None:
            self._save()
        return self._go_on(answers)

    def give(self, reward: int) -> tuple[Answer, ...]:
        assert self.agent is not None
        if not self.low <= reward <= self.high:
            raise RewardError("outside")
        value = reward * self.unit
        return self._go_on(self.agent.observe(1, value, (value,)))

    def cut(self) -> tuple[Answer, ...]:
        self.agent, self.is_dead, self.tears = None, False, False
        if self.kept is None:
            return ()
        run, arm, state = self.kept
        self.agent = Agent(run, arm, state, most_pulls=self.most, most_bits=self.bits)
        if state.symbol is not None or state.ahead is not None:
            return (self.agent._last_answer(),) if state.cause is None else ()
        return self._go_on(())

    @property
    def has_conceded(self) -> bool:
        """Whether the answer at hand says that it is beaten, and is kept."""
        is_at_hand = self.agent is not None and _has_conceded(self.agent.state)
        return is_at_hand and self.kept is not None and _has_conceded(self.kept[2])

    def _go_on(self, answers: tuple[Answer, ...]) -> tuple[Answer, ...]:
        assert self.agent is not None
        while self.agent.is_looking:
            self._save()
            answers = self.agent.look()
        if answers:
            self._save()
        return answers

    def _save(self) -> None:
        assert self.agent is not None
        if self.full:
            self.full -= 1
            raise _FullError
        if self.tears:
            self.is_dead = True
            raise _DeadError
        self.kept = (self.agent.run, self.agent.arm, self.agent.state)


def _for_a_device(messages: tuple[Message, ...]) -> Request | Dismiss:
    """The one message of a frame that a small agent reads; refuses what it does not know."""
    message = messages[0]
    if len(messages) > 1 or not isinstance(message, Request | Dismiss):
        raise PeerProtocolError("neither a request nor a dismissal of one arm")
    if isinstance(message, Request) and not isinstance(message.question.code, Above | Nearest):
        raise PeerProtocolError("a code that it does not know")
    return message


def _has_conceded(state: AgentState) -> bool:
    is_challenged = state.question is not None and isinstance(state.question.task, Challenge)
    return is_challenged and state.symbol == BEATEN and state.cause is None


_KINDS: dict[type[Exception], str] = {
    TruncatedFrameError: "truncated",
    CorruptFrameError: "corrupt",
    UnknownVersionError: "version",
    PeerProtocolError: "refused",
    RewardError: "reward",
    _FullError: "full",
    _DeadError: "dead",
}


@final
class PythonBench:
    """The agent of `bitarm.core`: what all others must agree with."""

    def __init__(self) -> None:
        self._arms: dict[str, _PythonArm] = {}

    def ask(self, line: str) -> Reply:
        """The reply to one line."""
        name, verb, *words = line.split()
        if verb == "new":
            self._arms[name] = _PythonArm(*map(int, words))
        arm = self._arms[name]
        answers: tuple[Answer, ...] = ()
        kind = ""
        if arm.is_dead and verb != "cut":
            kind = "dead"
        else:
            try:
                answers = self._serve(arm, verb, words)
            except tuple(_KINDS) as error:
                kind = _KINDS[type(error)]
        agent = arm.agent
        wanted = agent.wanted if agent is not None and not arm.is_dead else 0
        count = agent.state.pulls if agent is not None else 0
        frame = wire.encode(answers[0]) if answers else None
        rests = verb == "rest" and arm.has_conceded
        kind = kind or ("say" if answers else "rest" if rests else "quiet")
        return Reply(kind=kind, frame=frame, wanted=wanted, count=count)

    def _serve(self, arm: _PythonArm, verb: str, words: list[str]) -> tuple[Answer, ...]:
        if verb == "hear":
            return arm.hear(bytes.fromhex("".join(words)))
        if verb == "cut":
            return arm.cut()
        if verb == "full":
            arm.full = int(words[0])
        if verb == "tear":
            arm.tears = True
        if verb == "give":
            for word in words:
                if answers := arm.give(int(word)):
                    return answers
        return ()


# -- the agent for MicroPython ---------------------------------------------------------------------


def micropython_bench() -> ModuleType:
    """bench.py with the agent for MicroPython, loaded into this process."""
    sys.path.insert(0, str(DEVICES / "micropython"))
    try:
        spec = importlib.util.spec_from_file_location("micropython_bench", HERE / "bench.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


@final
class FileBench:
    """The agent for MicroPython under this Python."""

    def __init__(self) -> None:
        self._bench = micropython_bench().Bench()

    def ask(self, line: str) -> Reply:
        """The reply to one line."""
        return Reply.of(self._bench.ask(line))


# -- agents in processes ---------------------------------------------------------------------------


@final
class ProcessBench:
    """Agents behind the standard input and output of a process."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def ask(self, line: str) -> Reply:
        """The reply to one line."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        said = self._process.stdout.readline()
        assert said, f"the bench ended at {line[:60]!r}"
        return Reply.of(said)


@contextlib.contextmanager
def process_bench(command: list[str]) -> Iterator[ProcessBench]:
    """A bench that runs as this command, and ends with its input."""
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield ProcessBench(process)
    assert process.returncode == 0


def node_command() -> list[str]:
    """MicroPython, compiled to WebAssembly."""
    node = shutil.which("node")
    assert node, "the tests need Node: scripts/system-packages npm"
    return [node, str(HERE / "bench.mjs")]


WARNINGS = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-Wpedantic", "-Wconversion", "-Wshadow")
SANITIZERS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def native_bench(program: Path, *flags: str) -> None:
    """The agent in C, compiled for this machine."""
    compile_bench("gcc", program, *flags, "-lm")


def compile_bench(compiler: str, program: Path, *flags: str) -> None:
    """bench.c and the agent in C, compiled without a warning."""
    sources = [str(HERE / "bench.c"), str(DEVICES / "c" / "bitarm_agent.c")]
    before = [flag for flag in flags if not flag.startswith("-l")]
    after = [flag for flag in flags if flag.startswith("-l")]
    subprocess.run(
        [compiler, *WARNINGS, f"-I{DEVICES / 'c'}", *before, *sources, *after, "-o", str(program)],
        check=True,
    )


BOARD = ("-mcpu=cortex-m0", "-mthumb", "-Os", "-DBITARM_FLOAT", "-DARMS=4")
"""A BBC micro:bit: a Cortex-M0 without a floating-point unit, 256 KiB of flash, 16 KiB of RAM."""

_PLACES = {
    "flash": 0,
    "flash_size": 0x40000,
    "ram": 0x20000000,
    "ram_size": 0x4000,
    "stack_size": 0xC00,
}


def compile_for_board(program: Path) -> None:
    """The bench for the emulated board, with its lines on the serial port."""
    places = [f"-Wl,--defsym=__{name}={at}" for name, at in _PLACES.items()]
    library = ("--specs=picolibc.specs", str(HERE / "board.c"))
    compile_bench("arm-none-eabi-gcc", program, *library, *BOARD, *places, "-lm")


_PORTS = ("-display", "none", "-monitor", "none", "-serial", "stdio")


@contextlib.contextmanager
def board_bench(program: Path) -> Iterator[ProcessBench]:
    """The bench on the emulated board; it has no end, and is switched off."""
    command = ["qemu-system-arm", "-M", "microbit", *_PORTS, "-kernel", str(program)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield ProcessBench(process)
        finally:
            process.kill()
