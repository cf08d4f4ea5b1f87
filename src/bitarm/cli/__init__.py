"""The command line: reads flags, calls the library, prints what it returns. Needs the extra `cli`.

`app.py` is the program, `commands/` has a module for each command, `flags/` what several of them
take, `show/` what they print, `metrics/` what Prometheus sees of the long-lived ones, `exits.py`
the exit codes. `logs.py` sets the log up, and `event_log.py` writes a run's events to it;
`journal_place.py` notices that a run's journal was moved away.
"""
