"""What all tests share: one hypothesis profile, and a Ctrl-C that reaches their processes."""

import signal

from hypothesis import settings

# Repeatable, and patient with a slow shared machine.
settings.register_profile("bitarm", deadline=None, derandomize=True)
settings.load_profile("bitarm")

# A shell starts its background jobs with SIGINT ignored, and children inherit that: the programs
# that tests interrupt would then never notice.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
