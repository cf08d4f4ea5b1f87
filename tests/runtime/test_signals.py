"""Signals to stop: noted once, obeyed the second time, and not heard where nohup says so."""

import os
import signal

import pytest

from bitarm.runtime.signals import Stopper

_STOPS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize("number", _STOPS, ids=lambda number: number.name)
def test_the_first_is_noted_and_the_handlers_of_before_are_back(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with Stopper() as stopper:
        assert stopper.received is None
        os.kill(os.getpid(), number)
        assert stopper.received is number
        assert signal.getsignal(number) == before  # which obeys a second one
    assert signal.getsignal(number) == before


def test_a_terminal_that_closes_is_not_heard_under_nohup() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Stopper() as stopper:
            os.kill(os.getpid(), signal.SIGHUP)
            assert stopper.received is None
    finally:
        signal.signal(signal.SIGHUP, before)
