"""How kernels are compiled, and a number for their sources, to be built into every kernel.

numba keeps compiled kernels on disk and looks for changes in a kernel's own file only; but a kernel
also contains what it calls from other files, and constants of the core. With this number among its
own constants, a kernel of changed sources is another kernel.
"""

import hashlib
from collections.abc import Callable
from importlib import resources
from typing import Any

from numba import njit
from numba.extending import register_jitable

CORE_FILES = (
    "codes/above.py",
    "codes/levels.py",
    "codes/nearest.py",
    "codes/prefix.py",
    "evidence/account.py",
    "evidence/bets.py",
    "evidence/edge.py",
    "evidence/forecast.py",
    "evidence/ladder.py",
    "evidence/least.py",
    "evidence/spread.py",
    "evidence/sub_gaussian.py",
    "evidence/tasks.py",
    "evidence/verdict.py",
    "policies/challenge.py",
    "policies/lil_ucb.py",
    "policies/prospects.py",
    "policies/top_two.py",
    "quantizers/dicq.py",
    "quantizers/dyadic.py",
    "running_sum.py",
)
"""Files of the core from which kernels take constants and formulas."""


def _number() -> int:
    digest = hashlib.sha256()
    kernels = resources.files(__package__)
    for name in sorted(file.name for file in kernels.iterdir() if file.name.endswith(".py")):
        digest.update(kernels.joinpath(name).read_bytes())
    for path in CORE_FILES:
        digest.update(resources.files("bitarm.core").joinpath(path).read_bytes())
    return int.from_bytes(digest.digest()[:7])


SOURCES_NUMBER = _number()

# A kernel allocates nothing, so no array dies in it, and numba need not count references. It would,
# to every array of a tuple, wherever an inlined function takes the tuple: a kernel that leaps would
# be ten times slower. numba's types do not know the option, which is for its own tests.
_kernel: dict[str, Any] = {"cache": True, "error_model": "numpy", "_nrt": False}
_allocating: dict[str, Any] = {"cache": True, "_nrt": True}

kernel = njit(**_kernel)
"""Decorates the outermost function of a kernel; what it calls is inlined into it."""

allocating = njit(**_allocating)
"""Decorates a function that a kernel calls, and that must allocate after all: no inlining."""

_within: dict[str, Any] = {
    "error_model": "numpy",
    "_nrt": False,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "no_rewrites": True,
    "forceinline": False,  # else that of the first caller counts, if it is itself inlined
}

within = njit(**_within)
"""Decorates a function that a kernel calls, and that is compiled by itself, with it: where inlining
would have its types found, again, in every place from which it is called."""


INLINED: dict[str, Any] = {**_within, "forceinline": True}

inlined = njit(**INLINED)
"""The same for a function that costs less than its call: one that is called at every pull or in
every round, with more arguments than registers. Arrays and tuples are passed word by word, so that
a call of the challenge kernel's may put hundreds of words on the stack. The types are still found
only once, since LLVM does the inlining."""


def compiled_too(*functions: Callable[..., Any]) -> None:
    """Let kernels call functions of the core, compiled; for all others they stay as they are."""
    for function in functions:
        register_jitable(**_within)(function)
