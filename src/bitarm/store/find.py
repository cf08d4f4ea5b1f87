"""The run that a person means: a number, a fingerprint in hex, or "last".

Refuses to know how runs are kept. What cannot be found is the fault of what was typed, hence a
ConfigError: the journal is in order.
"""

import string

from bitarm.core.journal import Journal, RunSummary
from bitarm.errors import ConfigError

LAST = "last"

_HEX_DIGITS = 8  # of a 32-bit fingerprint


def find_run(journal: Journal, text: str) -> RunSummary:
    """The one run that `text` names; refuses what names none or several.

    Eight digits are a fingerprint if some run has it, and a number otherwise.
    """
    runs = journal.runs()
    wanted = text.strip().lower()
    if wanted == LAST:
        if not runs:
            raise ConfigError(f"there is no {LAST} run: the journal has none yet")
        return runs[0]
    is_number = wanted.isascii() and wanted.isdecimal()
    is_fingerprint = len(wanted) == _HEX_DIGITS and set(wanted) <= set(string.hexdigits)
    if not (is_number or is_fingerprint):
        raise ConfigError(
            f"a run is named by its number, by the {_HEX_DIGITS} hex digits of its fingerprint, "
            f'or by "{LAST}"; got {text!r}'
        )
    found = [run for run in runs if is_fingerprint and run.fingerprint == int(wanted, 16)]
    found = found or [run for run in runs if is_number and wanted.lstrip("0") == str(run.run)]
    if not found:
        raise ConfigError(f"there is no run {text!r}: {_known(runs)}")
    if len(found) > 1:
        numbers = ", ".join(str(run.run) for run in sorted(found, key=lambda run: run.run))
        raise ConfigError(
            f"{text!r} is the fingerprint of {len(found)} runs: say which by number: {numbers}"
        )
    return found[0]


def _known(runs: list[RunSummary]) -> str:
    if not runs:
        return "the journal has none yet"
    return f"the journal has {len(runs)}, the newest is {runs[0].run}"
