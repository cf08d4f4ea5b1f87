"""Bounds on the frames of a run, against the frames of runs."""

from typing import Any

import pytest

from bitarm import wire
from bitarm.api.identify import identify
from bitarm.api.scheme import build
from bitarm.core.events import ReportAccepted, RoundOpened
from bitarm.core.limits import Limits
from bitarm.core.messages import Report, Request
from bitarm.core.spec import RunSpec
from bitarm.runtime.frame_sizes import largest_frames
from bitarm.store import MemoryJournal

_BOUNDED: dict[str, Any] = {"bounds": (0.0, 1.0)}
_SCHEMES: list[dict[str, Any]] = [
    {**_BOUNDED, "quantizer": "icq", "bits": 3},
    {**_BOUNDED, "quantizer": "icq", "bits": 20},
    {**_BOUNDED, "quantizer": "exact"},
    {**_BOUNDED, "quantizer": "quban", "epsilon_quban": 0.01},
    {**_BOUNDED, "quantizer": "fed-sel"},
    {"sigma": 0.5, "quantizer": "icq", "prior": "quban"},
    {"sigma": 0.5, "quantizer": "quban"},
    {**_BOUNDED, "quantizer": "dicq"},
    {**_BOUNDED, "quantizer": "dicq", "kappa": 0.05, "kappa_first": 16.0},
    {**_BOUNDED, "quantizer": "dicq", "checkpoints": [1, 2, 500, 501, 5000]},
    {"sigma": 0.5, "quantizer": "dicq"},
]


def _spec(arms: int = 2, **words: Any) -> RunSpec:
    problem: dict[str, Any] = {key: words.pop(key) for key in ("bounds", "sigma") if key in words}
    names = tuple(f"arm-{number}" for number in range(arms))
    return build(names, seed=1, problem=problem, scheme=words, limits={}).spec


@pytest.mark.parametrize("words", _SCHEMES, ids=lambda words: str(words.get("quantizer")))
def test_no_frame_of_a_run_is_larger(words: dict[str, Any]) -> None:
    journal = MemoryJournal()
    coins = iter([0.0, 1.0] * 50_000)
    result = identify(
        {"a": lambda: next(coins), "b": lambda: 1.0 - next(coins) / 2},
        seed=1,
        journal=journal,
        max_rounds=12,
        **words,
    )
    assert result.rounds > 1
    sizes = largest_frames(_spec(**words), Limits(rounds=12))
    for entry in journal.read(1):
        event = entry.event
        if isinstance(event, ReportAccepted):
            report = Report(run=0, arm=event.arm, message=event.message, symbol=event.symbol)
            assert len(wire.encode(report)) <= sizes.report
            assert event.symbol.nbits <= sizes.symbol_bits
            assert event.message <= sizes.messages
        if isinstance(event, RoundOpened):
            for advance in event.advances:
                request = Request(run=0, arm=advance.arm, message=event.round, until=advance.until)
                assert len(wire.encode(request)) <= sizes.request


@pytest.mark.parametrize("rounds", [1, 2, 3, 5, 7, 12, 30])
@pytest.mark.parametrize("kappa", [0.3, 2.5])
def test_no_jump_within_the_bounds_takes_a_longer_symbol(rounds: int, kappa: float) -> None:
    """However the mean moves: what rewards drawn from a law would hardly do, an adversary may."""
    spec = _spec(**_BOUNDED, quantizer="dicq", kappa=kappa)
    longest = 0
    held = [spec.start(0)]
    for message in range(1, rounds + 1):
        pulls = spec.schedule.pulls_at(message)
        assert pulls is not None
        step = spec.step(message, pulls)
        symbols = [
            (spec.quantizer.encode(number / 400, one, step, 0.0), one)
            for one in held
            for number in range(401)
        ]
        longest = max(longest, *(symbol.nbits for symbol, _ in symbols))
        ends = (symbols[0], symbols[-1])
        held = [spec.quantizer.decode(symbol, one, step) for symbol, one in ends]
    sizes = largest_frames(spec, Limits(rounds=rounds))
    assert longest <= sizes.symbol_bits


def test_icq_over_a_doubling_schedule_fits_the_short_frame() -> None:
    sizes = largest_frames(_spec(**_BOUNDED, quantizer="icq", bits=3), Limits())
    assert (sizes.report, sizes.request, sizes.messages, sizes.symbol_bits) == (11, 18, 39, 3)


def test_a_limit_on_rounds_makes_requests_smaller() -> None:
    spec = _spec(**_BOUNDED)
    assert largest_frames(spec, Limits(rounds=6)).request == 13  # 64 pulls: one byte


def test_many_arms_make_frames_larger() -> None:
    spec = _spec(arms=70_000, **_BOUNDED, prior="midpoint")
    sizes = largest_frames(spec, Limits())
    assert sizes.report > 11  # beyond arm 65535 there is no short frame


def test_unbounded_rewards_have_a_longest_symbol_all_the_same() -> None:
    """A quantizer refuses means that a float64 cannot resolve in its steps."""
    sizes = largest_frames(_spec(sigma=0.5, quantizer="quban"), Limits())
    assert 90 < sizes.symbol_bits < 120
    assert sizes.report < 51
