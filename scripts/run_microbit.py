"""How much of the agent for MicroPython an emulated BBC micro:bit holds, and whether it is sound.

    python scripts/run_microbit.py [FIRMWARE.hex]

The board (QEMU) runs MicroPython 1.9.2, with 9.5 kB of heap, floats of 30 bits, and no compiled
modules. The whole file does not fit, which is tried; what judges whether an arm is beaten does. It
is sent piece by piece over the serial line, without comments and types, and must concede where the
exact test of tests/devices/exact.py does, or later. Installs QEMU and Debian's
firmware-microbit-micropython where they are missing.
"""

import ast
import os
import re
import select
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from devices.benches import DEVICES, HOME
from devices.exact import Fight, least_edge
from devices.test_exact import FRACTION, TICK, fights

FIRMWARE = "/usr/share/firmware-microbit-micropython/firmware.hex"
GAP = 0.004
"""Seconds between characters: the board's serial port takes no more."""
FUNCTIONS = ("_curve", "_reaches")
METHODS = ("_bet", "_scaled", "_rate", "_evidence", "_is_beaten")
NAMES = ("ONE", "SHARES", "NUMERATORS", "ROUNDING", "GRAIN")
NATS = Fraction(1, 5)
"""More evidence than the exact test needs, with which the board must concede too."""


class Board:
    """MicroPython's raw prompt on the emulated board."""

    def __init__(self, firmware: str) -> None:
        ports = ["-display", "none", "-monitor", "none", "-serial", "stdio"]
        command = ["qemu-system-arm", "-M", "microbit", *ports]
        self._process = subprocess.Popen(
            [*command, "-device", f"loader,file={firmware}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._until(b">>> ")
        self._send(b"\x01")
        self._until(b"to exit\r\n>")

    def run(self, code: str) -> str:
        """What the code prints; an error of its own ends the script."""
        self._send(code.encode() + b"\x04")
        printed, error = self._until(b"\x04>").removeprefix(b"OK").split(b"\x04")[:2]
        if error:
            raise SystemExit(f"the board says to {code!r}: {error.decode()}")
        return printed.decode().strip()

    def free(self) -> int:
        """Bytes of the heap that are free."""
        return int(self.run("import gc\ngc.collect()\nprint(gc.mem_free())"))

    def off(self) -> None:
        """Switch the board off."""
        self._process.kill()
        self._process.wait()

    def _send(self, code: bytes) -> None:
        assert self._process.stdin is not None
        for byte in code:
            self._process.stdin.write(bytes((byte,)))
            self._process.stdin.flush()
            time.sleep(GAP)

    def _until(self, end: bytes, seconds: float = 60.0) -> bytes:
        assert self._process.stdout is not None
        heard, late = b"", time.monotonic() + seconds
        while not heard.endswith(end):
            if not select.select([self._process.stdout], [], [], late - time.monotonic())[0]:
                raise SystemExit(f"the board is silent after {heard!r}")
            heard += os.read(self._process.stdout.fileno(), 4096)
        return heard


class _Bare(ast.NodeTransformer):
    """Without types and docstrings: they take room."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        for argument in node.args.args:
            argument.annotation = None
        if ast.get_docstring(node):
            del node.body[0]
        return node


def spelt(node: ast.stmt) -> str:
    """A piece of the file in as few characters as it takes."""
    text = ast.unparse(ast.fix_missing_locations(_Bare().visit(node)))
    return re.sub(r"(?m)^ +", lambda match: " " * (len(match.group()) // 4), text)


def pieces() -> list[str]:
    """What judges an arm, in pieces that the board can compile one by one."""
    text = (DEVICES / "micropython" / "bitarm_agent.py").read_text("utf-8")
    found = ["import math"]
    for node in ast.parse(text).body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) if name in NAMES:
                found.append(spelt(node))
            case ast.Assign(targets=[ast.Tuple(elts=[*_, ast.Name(id="SIGMA"), ast.Name()])]):
                found.append(spelt(node))
            case ast.While():
                found.append(spelt(node))
            case ast.FunctionDef(name=name) if name in FUNCTIONS:
                found.append(spelt(node))
            case ast.ClassDef(name="Agent"):
                found.append("class Agent:\n pass")
                for method in node.body:
                    if isinstance(method, ast.FunctionDef) and method.name in METHODS:
                        name = method.name
                        found.append(f"{spelt(method)}\nAgent.{name} = {name}\ndel {name}")
            case _:
                pass
    return sorted(found, key=_order)


def _order(piece: str) -> int:
    """The largest function comes first: small ones fit into the holes that it leaves."""
    if piece.startswith(("class", "import")):
        return -(1 << 30)
    return -len(piece) if piece.startswith("def") else 0


DRIVER = (
    "import gc\ngc.threshold(256)",  # else what lives on is scattered over the heap
    "class asked:\n pass",
    "def begin(scale, *what):\n global arm\n arm = Agent()\n arm.scale = scale\n"
    f" arm._shift, arm.fortunes, arm.powers = GRAIN - {FRACTION}, [1] * 16, [0] * 16\n"
    " arm.count = arm.sum = arm.total = arm.predicted = arm.squares = 0\n"
    " asked.until, asked.rung, asked.hurdles = what",
    "def add(reward):\n if arm.scale[0] == BOUNDED:\n"
    "  arm._bet(arm._scaled(reward << arm._shift))\n"
    " arm.sum += reward\n arm.count += 1",
    "def judge(ticks):\n asked.place = ticks << GRAIN - 40\n print(arm._is_beaten(asked))",
)
"""What the board does with its evidence: small statements are all that its parser still takes."""


def fight_on(board: Board, fight: Fight, units: list[int]) -> None:
    """Give the board an arm's rewards."""
    kind = "BOUNDED" if fight.scale.bounded else "SIGMA"
    low, span = (Fraction(value) / TICK for value in (fight.scale.low, fight.scale.unit))
    scale = f"[{kind},{low}<<GRAIN-40,{span}<<GRAIN-40]"
    board.run(f"begin({scale},{fight.until},{fight.first},{list(fight.hurdles)})")
    for reward in units:
        board.run(f"add({reward})")


def is_beaten(board: Board, edge: Fraction) -> bool:
    """Whether the board says that a leader with this edge beats the arm."""
    return board.run(f"judge({int(edge / TICK)})") == "True"


def load_whole(firmware: str) -> None:
    """Send all functions of the file, the longest first, until the board has no more room."""
    text = (DEVICES / "micropython" / "bitarm_agent.py").read_text("utf-8")
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    functions = sorted(map(spelt, nodes), key=len, reverse=True)
    board = Board(firmware)
    try:
        free = board.free()
        for loaded, function in enumerate(functions):
            try:
                board.run(function.replace("@property\n", ""))
                free = board.free()
            except SystemExit:
                print(f"of the whole file: {loaded} of {len(functions)} functions; {free} free")
                return
        print(f"the whole file: {board.free()} free")
    finally:
        board.off()


def main() -> None:
    """Load what fits, and let it judge."""
    firmware = sys.argv[1] if len(sys.argv) > 1 else FIRMWARE
    packages = ["qemu-system-arm", f"{FIRMWARE}:firmware-microbit-micropython"]
    needed = packages if firmware == FIRMWARE else packages[:1]
    subprocess.run([str(HOME / "scripts" / "system-packages"), *needed], check=True)
    load_whole(firmware)
    board = Board(firmware)
    try:
        print(f"free at first: {board.free()} bytes")
        for piece in (*pieces(), *DRIVER):
            board.run(piece)
            board.free()  # the compiler leaves holes behind
        print(f"free with what judges an arm: {board.free()} bytes")
        for fight, units in fights():
            if len(units) > 64:
                continue  # the serial line is slow
            edge, nat = least_edge(fight)
            fight_on(board, fight, units)
            below = is_beaten(board, edge // TICK * TICK)
            above = is_beaten(board, -(-(edge + NATS * nat) // TICK) * TICK)
            print(f"{fight.scale}, {len(units)} rewards: {below}, {above}; {board.free()} free")
            if below or not above:
                raise SystemExit("it concedes too early, or too late")
    finally:
        board.off()


if __name__ == "__main__":
    main()
