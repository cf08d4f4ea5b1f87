"""The agent for MicroPython with the floats of a small board: 32 bits less two, cut off at the end.

Boards that keep floats in the words of objects (the micro:bit does) have no other. Every float
constant of the file, every division and every function of `math` is made to return such a one.
"""

import ast
import math
import struct
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any, final

from devices.benches import DEVICES, Reply, micropython_bench

_SINGLE, _WORD = struct.Struct("<f"), struct.Struct("<I")
_PATH = DEVICES / "micropython" / "bitarm_agent.py"


@final
class Short(float):
    """A float that the board can hold; so is what comes out of its operators."""

    __slots__ = ()

    def __new__(cls, value: float) -> "Short":
        if type(value) is cls:
            return value
        try:
            (bits,) = _WORD.unpack(_SINGLE.pack(value))
        except OverflowError:
            return super().__new__(cls, math.copysign(math.inf, value))
        return super().__new__(cls, _SINGLE.unpack(_WORD.pack(bits & ~3))[0])


def _operator(name: str) -> Callable[..., Short]:
    plain: Callable[..., float] = getattr(float, name)
    return lambda *values: Short(plain(*map(Short, values)))


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow", "rpow"):
    setattr(Short, f"__{_name}__", _operator(f"__{_name}__"))
Short.__neg__ = _operator("__neg__")  # type: ignore[method-assign]
Short.__abs__ = _operator("__abs__")  # type: ignore[method-assign]


def divide(one: float, other: float) -> Short:
    """What a board makes of a division, of whole numbers too."""
    return Short(float.__truediv__(Short(one), Short(other)))


_MATH = SimpleNamespace(
    log=lambda x: Short(math.log(Short(x))),
    exp=lambda x: Short(math.exp(Short(x))),
    sqrt=lambda x: Short(math.sqrt(Short(x))),
    ldexp=lambda x, power: Short(math.ldexp(Short(x), power)),
    floor=math.floor,
)


class _Shorten(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return _call("Short", node) if isinstance(node.value, float) else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return _call("divide", node.left, node.right) if isinstance(node.op, ast.Div) else node


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=list(arguments), keywords=[])


def shortened() -> ModuleType:
    """The agent's module, with short floats."""
    text = _PATH.read_text("utf-8").replace("\nimport math\n", "\n")
    tree = ast.fix_missing_locations(_Shorten().visit(ast.parse(text)))
    module = ModuleType("bitarm_agent")
    names: dict[str, Any] = module.__dict__
    names.update(Short=Short, divide=divide, math=_MATH)
    exec(compile(tree, str(_PATH), "exec"), names)
    return module


@final
class ShortBench:
    """The agent for MicroPython with short floats, under this Python."""

    def __init__(self) -> None:
        before = sys.modules.get("bitarm_agent")
        sys.modules["bitarm_agent"] = shortened()
        try:
            self._bench = micropython_bench().Bench()
        finally:
            del sys.modules["bitarm_agent"]
            if before is not None:
                sys.modules["bitarm_agent"] = before

    def ask(self, line: str) -> Reply:
        """The reply to one line."""
        return Reply.of(self._bench.ask(line))
