"""The command line: reads flags, calls the library, prints what it returns. Needs the extra `cli`.

`app.py` is the program, `commands/` has a module for each command, `flags/` what several of them
take, `show/` what they print, `metrics/` what Prometheus sees of the long-lived ones, `logs.py`
what they log, and `exits.py` the exit codes.
"""
