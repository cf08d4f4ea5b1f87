"""Exit codes: one for each kind of ending and each kind of fault."""

import errno

import pytest

from bitarm.cli.exits import Exit, exit_for, exit_for_outcome, notify
from bitarm.core.outcome import Outcome
from bitarm.errors import (
    BitarmError,
    ConfigError,
    CorruptFrameError,
    LocalProtocolError,
    MissingExtraError,
    PeerProtocolError,
    RewardError,
    StoreError,
    TransportError,
    TruncatedFrameError,
    UnknownVersionError,
)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError, 2),
        (MissingExtraError, 2),
        (RewardError, 2),
        (TruncatedFrameError, 4),
        (CorruptFrameError, 4),
        (UnknownVersionError, 4),
        (PeerProtocolError, 4),
        (TransportError, 4),
        (StoreError, 1),
        (LocalProtocolError, 1),  # this program misused its own machine: nobody else's fault
        (BitarmError, 1),
    ],
)
def test_an_error_ends_with_the_code_of_whose_fault_it_is(
    error: type[BitarmError], code: int
) -> None:
    assert exit_for(error("why")) == code


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (Outcome.DECIDED, 0),
        (Outcome.BUDGET_SPENT, 0),
        (Outcome.ROUND_LIMIT, 3),
        (Outcome.SAMPLE_LIMIT, 3),
        (Outcome.BIT_LIMIT, 3),
        (Outcome.AGENT_LOST, 4),
        (Outcome.INTERRUPTED, 130),
    ],
)
def test_an_outcome_ends_with_its_code(outcome: Outcome, code: int) -> None:
    assert exit_for_outcome(outcome) == code


@pytest.mark.parametrize(
    ("number", "code"), [(errno.ENOSPC, 1), (errno.EROFS, 1), (errno.EIO, 1), (errno.EACCES, 2)]
)
def test_a_disk_that_fails_is_no_wrong_input(number: int, code: int) -> None:
    error = ConfigError("the plan cannot be written")
    error.__context__ = OSError(number, "it fails")  # as one raised while that was handled has
    assert exit_for(error) == code


def test_every_outcome_has_a_code() -> None:
    assert {exit_for_outcome(outcome) for outcome in Outcome} <= set(Exit)


def test_a_complaint_goes_to_stderr_with_the_programs_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    notify("delta must lie in (0, 1)")
    assert capsys.readouterr() == ("", "bitarm: delta must lie in (0, 1)\n")
