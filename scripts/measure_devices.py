"""Prints the figures of docs/devices.md: memory of both agents, frames and energy of a run.

    python scripts/measure_devices.py

Needs arm-none-eabi-gcc with picolibc, and Node with MicroPython (`make packages`, `make check`).
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from devices.benches import HOME, FileBench, PythonBench, Reply, compile_for_board
from devices.runs import Run, World, beta, coin, normal, run
from devices.vectors import play, recorded

from bitarm.links.airtime import air_seconds
from bitarm.links.profiles import LINKS
from bitarm.wire.frames.envelope import FrameKind

LINK = LINKS["lorawan-eu868-dr0"]
SEND_WATTS = 0.132
"""40 mA at 3.3 V: an SX1276 at 14 dBm."""
HEAR_WATTS = 0.036
"""11 mA at 3.3 V, while a frame is received."""
SHORT = 11  # bytes
SOURCES = {
    "MicroPython": ("micropython/bitarm_agent.py",),
    "C": ("c/bitarm_agent.h", "c/bitarm_agent.c"),
}

WORLDS = (
    World(
        name="the built-in gateways",
        seed=1,
        means=(0.93, 0.88, 0.97, 0.84, 0.79, 0.71, 0.62, 0.35),
        law=beta,
        problem={"bounds": (0, 1)},
    ),
    World(name="coins", seed=1, means=(0.97, 0.93, 0.9, 0.8), law=coin, problem={"bounds": (0, 1)}),
    World(name="σ = 1/8", seed=1, means=(0, 0, 0, 0, 0.1), law=normal, problem={"sigma": 0.125}),
)


def lines() -> None:
    """Lines of the agents' source, comments and all."""
    for name, files in SOURCES.items():
        count = sum(
            len((HOME / "devices" / file).read_text("utf-8").splitlines()) for file in files
        )
        print(f"{name}: {count} lines")


def sizes_in_c() -> None:
    """Flash of the source, RAM of an agent and stack of a call, for a Cortex-M0."""
    print("| floats | flash, bytes | RAM of an agent | a slot | stack |")
    print("|---|---|---|---|---|")
    for name, flags in (("float", ["-DBITARM_FLOAT"]), ("double", [])):
        with tempfile.TemporaryDirectory() as folder:
            source, file = "devices/c/bitarm_agent.c", Path(folder) / "agent.o"
            _compile(source, [*flags, "-fcallgraph-info=su"], file)
            flash = _sections(file)[0]
            stack = _deepest(file.with_suffix(".ci").read_text("utf-8"))
        agent, slot = (_size_of(kind, flags) for kind in ("bitarm_agent", "bitarm_memory"))
        print(f"| `{name}` | {flash} | {agent} | {slot} | {stack} |")


def _deepest(graph: str) -> int:
    """Bytes of stack that the deepest chain of calls takes, without what a library or the device's
    own functions take.
    """
    own = {
        name: int(size)
        for name, size in re.findall(r'title: "([^"]+)" label: "[^"]*?(\d+) bytes', graph)
    }
    calls = re.findall(r'sourcename: "([^"]+)" targetname: "([^"]+)"', graph)

    def below(name: str) -> int:
        return own.get(name, 0) + max((below(to) for of, to in calls if of == name), default=0)

    return max(map(below, own))


def size_of_bench() -> None:
    """Flash and RAM of the whole test bench for the emulated board: four agents."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "bench.elf"
        compile_for_board(program)
        flash, kept, cleared = _sections(program)
    print(f"bench for the micro:bit, bytes: {flash + kept} of flash, {kept + cleared} of RAM")


def _sections(file: Path) -> tuple[int, int, int]:
    command = ["arm-none-eabi-size", str(file)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    text, data, bss, *_ = printed.splitlines()[1].split()
    return int(text), int(data), int(bss)


def _compile(source: str, flags: list[str], to: Path) -> None:
    board = ["-std=c99", "-Os", "-mcpu=cortex-m0", "-mthumb", "--specs=picolibc.specs"]
    subprocess.run(
        ["arm-none-eabi-gcc", *board, *flags, "-c", source, "-o", str(to)], check=True, cwd=HOME
    )


def _size_of(kind: str, flags: list[str]) -> int:
    """The size of a type on the board: that of a variable which has it."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "one.c"
        source.write_text(f'#include "bitarm_agent.h"\n{kind} one;\n', "utf-8")
        _compile(str(source), [*flags, "-Idevices/c"], Path(folder) / "one.o")
        return _sections(Path(folder) / "one.o")[2]


def heap_of_micropython() -> None:
    """Bytes of MicroPython's heap that the agent holds, and of what it keeps."""
    node = shutil.which("node")
    assert node, "needs Node: scripts/system-packages npm"
    case = next(case for case, _ in recorded() if case.name == "beta, arm 1")
    bench = Told()
    play(case, bench)
    printed = subprocess.run(
        [node, str(HOME / "tests" / "devices" / "heap.mjs")],
        input="\n".join(bench.lines),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    print(f"MicroPython, bytes of heap: {json.loads(printed)}")


class Told:
    """A bench that remembers the lines it was told."""

    def __init__(self) -> None:
        self._bench, self.lines = FileBench(), list[str]()

    def ask(self, line: str) -> Reply:
        """The reply to one line."""
        self.lines.append(line)
        return self._bench.ask(line)


def energy(name: str, went: Run) -> None:
    """Frames, bytes on the air and energy of a run, beside a frame for every reward.

    As over LoRaWAN, the best arm alone is dismissed.
    """
    rates = LINK.up.rate, LINK.down.rate
    assert rates[0] is not None
    assert rates[1] is not None
    pulls = sum(went.counts)
    up = [len(frame) for frames in went.said for frame in frames]
    down = [
        len(frame)
        for arm, frames in enumerate(went.heard)
        for frame in frames
        if frame[1] != FrameKind.DISMISS or arm == went.ending.best_arm
    ]
    joules = sum(SEND_WATTS * air_seconds(rates[0], size, up=True) for size in up)
    joules += sum(HEAR_WATTS * air_seconds(rates[1], size, up=False) for size in down)
    every = pulls * SEND_WATTS * air_seconds(rates[0], SHORT, up=True)
    print(
        f"| {name} | {len(went.counts)} | {pulls} "
        f"| {len(up)} | {sum(up)} | {len(down)} | {sum(down)} "
        f"| {joules:.1f} | {SHORT * pulls} | {every:.0f} |"
    )


def main() -> None:
    """All figures."""
    lines()
    sizes_in_c()
    size_of_bench()
    heap_of_micropython()
    print("| run | arms | pulls | up | bytes | down | bytes | J | all rewards, bytes | J |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for world in WORLDS:
        energy(world.name, run(world, [PythonBench()] * len(world.means)))


if __name__ == "__main__":
    main()
