"""A line for each figure, with the machine that it was measured on: benchmarks/history.jsonl."""

import json
import os
import platform
import time
from importlib import metadata
from pathlib import Path

HISTORY = Path(__file__).with_name("history.jsonl")


def record(name: str, **figures: float) -> None:
    """Print figures, and keep them."""
    print(f"\n{name}: " + ", ".join(f"{key} {value:,.3g}" for key, value in figures.items()))
    line = {
        "at": time.strftime("%Y-%m-%d", time.gmtime()),
        "name": name,
        "figures": {key: float(f"{value:.4g}") for key, value in figures.items()},
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}",
        "python": platform.python_version(),
        "numba": metadata.version("numba"),
    }
    with HISTORY.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
