"""Bounds on the frames of a run, against the frames of runs."""

from typing import Any

import pytest

from bitarm import wire
from bitarm.api.identify import identify
from bitarm.api.scheme import Setup, build
from bitarm.core.events import ReportAccepted, RoundOpened
from bitarm.core.limits import Limits
from bitarm.core.messages import Report, Request
from bitarm.runtime.frame_sizes import FrameSizes, largest_frames
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
    _BOUNDED,
    {"sigma": 0.5},
    {**_BOUNDED, "quantizer": "dicq", "policy": "se"},
    {**_BOUNDED, "quantizer": "dicq", "kappa": 0.05, "kappa_first": 16.0},
    {**_BOUNDED, "quantizer": "dicq", "checkpoints": [1, 2, 500, 501, 5000]},
    {"sigma": 0.5, "quantizer": "dicq"},
]


def _setup(arms: int = 2, **words: Any) -> Setup:
    problem: dict[str, Any] = {key: words.pop(key) for key in ("bounds", "sigma") if key in words}
    names = tuple(f"arm-{number}" for number in range(arms))
    return build(names, seed=1, problem=problem, scheme=words, limits={})


def _sizes(limits: Limits, **words: Any) -> FrameSizes:
    setup = _setup(**words)
    return largest_frames(setup.spec, setup.policy, limits)


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
    sizes = _sizes(Limits(rounds=12), **words)
    for entry in journal.read(1):
        event = entry.event
        if isinstance(event, ReportAccepted):
            report = Report(run=0, arm=event.arm, message=event.message, symbol=event.symbol)
            assert len(wire.encode(report)) <= sizes.report
            assert event.symbol.nbits <= sizes.symbol_bits
            assert event.message <= sizes.messages
        if isinstance(event, RoundOpened):
            for advance in event.advances:
                request = Request(
                    run=0,
                    arm=advance.arm,
                    message=event.round,
                    until=advance.until,
                    hint=advance.hint,
                )
                assert len(wire.encode(request)) <= sizes.request


@pytest.mark.parametrize("rounds", [1, 2, 3, 5, 7, 12, 30])
@pytest.mark.parametrize("kappa", [0.3, 2.5])
def test_no_jump_within_the_bounds_takes_a_longer_symbol(rounds: int, kappa: float) -> None:
    """However the mean moves: what rewards drawn from a law would hardly do, an adversary may."""
    words: dict[str, Any] = {**_BOUNDED, "policy": "se", "kappa": kappa, "growth": 2.0}
    spec = _setup(**words).spec
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
    sizes = _sizes(Limits(rounds=rounds), **words)
    assert longest <= sizes.symbol_bits


def test_icq_over_a_doubling_schedule_fits_the_short_frame() -> None:
    sizes = _sizes(Limits(), **_BOUNDED, quantizer="icq", bits=3)
    assert (sizes.report, sizes.request, sizes.messages, sizes.symbol_bits) == (11, 18, 39, 3)


def test_a_limit_on_rounds_makes_requests_smaller() -> None:
    sizes = _sizes(Limits(rounds=6), **_BOUNDED, quantizer="icq")
    assert sizes.request == 13  # 64 pulls: one byte


def test_a_limit_on_rounds_bounds_the_messages_of_a_policy_that_leaps_and_not_its_pulls() -> None:
    whole, few = (_sizes(Limits(rounds=it), **_BOUNDED) for it in (None, 6))
    assert few.messages == 6
    assert (few.request, few.symbol_bits) == (whole.request, whole.symbol_bits)


@pytest.mark.parametrize("policy", ["quiet", "se"])
def test_a_limit_on_samples_bounds_the_pulls_of_every_policy(policy: str) -> None:
    sizes = _sizes(Limits(samples=127), **_BOUNDED, policy=policy, growth=2.0)
    assert sizes.messages == 6  # 64 pulls
    assert sizes.request == 13 + 9
    assert _sizes(Limits(samples=1), **_BOUNDED, policy=policy).messages == 1


def test_a_hint_makes_requests_larger() -> None:
    """By a kind of one byte and a value of eight."""
    words: dict[str, Any] = {**_BOUNDED, "growth": 2.0}
    plain = _sizes(Limits(), **words, quantizer="icq")
    assert _sizes(Limits(), **words).request == plain.request + 9


def test_many_arms_make_frames_larger() -> None:
    sizes = _sizes(Limits(), arms=70_000, **_BOUNDED, quantizer="icq", prior="midpoint")
    assert sizes.report > 11  # beyond arm 65535 there is no short frame


def test_unbounded_rewards_have_a_longest_symbol_all_the_same() -> None:
    """A quantizer refuses means that a float64 cannot resolve in its steps."""
    sizes = _sizes(Limits(), sigma=0.5, quantizer="quban")
    assert 90 < sizes.symbol_bits < 120
    assert sizes.report < 51
