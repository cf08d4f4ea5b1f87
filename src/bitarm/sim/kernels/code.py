"""A number for the kernels' sources, to be built into every kernel.

numba keeps compiled kernels on disk and looks for changes in a kernel's own file only; but a kernel
also contains what it calls from other files. With this number among its constants, a kernel of
changed sources is another kernel.
"""

import hashlib
from importlib import resources


def _number() -> int:
    digest = hashlib.sha256()
    kernels = resources.files(__package__)
    for file in sorted(kernels.iterdir(), key=lambda it: it.name):
        if file.name.endswith(".py"):
            digest.update(file.read_bytes())
    return int.from_bytes(digest.digest()[:7])


KERNEL_CODE = _number()
