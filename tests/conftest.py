"""What all tests share: a hypothesis profile, temporary files in memory, a lazier collector,
signals that get through.
"""

import gc
import os
import signal

from hypothesis import settings
from memory_disk import memory_disk

# Repeatable, and patient with a slow shared machine.
settings.register_profile("bitarm", deadline=None, derandomize=True)
settings.load_profile("bitarm")

# Read by pytest when the first test asks for a temporary folder.
if (_disk := memory_disk()) is not None:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_disk))

# A shell starts its background jobs with SIGINT ignored, and children inherit that: the programs
# that tests interrupt would then never notice. nohup does the same with SIGHUP, which Windows has
# not.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Compiling a kernel makes millions of objects: with Python's own thresholds, a tenth of its time
# goes into looking for cycles among them.
gc.set_threshold(50_000, 20, 100)
