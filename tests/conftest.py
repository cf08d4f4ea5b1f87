"""What all tests share: a hypothesis profile, a lazier collector, a Ctrl-C that gets through."""

import gc
import signal

from hypothesis import settings

# Repeatable, and patient with a slow shared machine.
settings.register_profile("bitarm", deadline=None, derandomize=True)
settings.load_profile("bitarm")

# A shell starts its background jobs with SIGINT ignored, and children inherit that: the programs
# that tests interrupt would then never notice.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Compiling a kernel makes millions of objects: with Python's own thresholds, a tenth of its time
# goes into looking for cycles among them.
gc.set_threshold(50_000, 20, 100)
