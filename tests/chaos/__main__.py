"""`python -m tests.chaos`: the tests' own modules are found beside this folder."""

import runpy
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
runpy.run_module("chaos.main", run_name="__main__")
