"""Bounds on the frames of a run, against the frames of runs."""

from collections import Counter
from itertools import product
from typing import Any

import pytest

from bitarm import wire
from bitarm.api.identify import identify
from bitarm.api.scheme import Setup, build
from bitarm.core.confidence import Stride
from bitarm.core.events import ReportAccepted, RoundOpened
from bitarm.core.limits import Limits
from bitarm.core.messages import Hint, HintKind, Report, Request
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
    {**_BOUNDED, "quantizer": "dicq"},
    {**_BOUNDED, "quantizer": "dicq", "kappa": 0.05, "kappa_first": 16.0},
    {**_BOUNDED, "quantizer": "dicq", "checkpoints": [1, 2, 500, 501, 5000]},
    {"sigma": 0.5, "quantizer": "dicq"},
    {**_BOUNDED, "quantizer": "dicq", "policy": "quiet"},
    {**_BOUNDED, "quantizer": "dicq", "policy": "quiet", "cap": 200.0, "kappa_cut": 0.05},
    {**_BOUNDED, "quantizer": "dicq", "policy": "quiet", "leader_first": False, "first": 1},
    {"sigma": 0.5, "quantizer": "dicq", "policy": "quiet", "kappa": 0.1, "kappa_cut": 8.0},
    {**_BOUNDED, "quantizer": "icq", "bits": 3, "policy": "quiet", "cap": 100.0},
]


def _setup(arms: int = 2, **words: Any) -> Setup:
    problem: dict[str, Any] = {key: words.pop(key) for key in ("bounds", "sigma") if key in words}
    names = tuple(f"arm-{number}" for number in range(arms))
    return build(names, seed=1, problem=problem, scheme=words, limits={})


def _sizes(limits: Limits, **words: Any) -> FrameSizes:
    setup = _setup(**words)
    return largest_frames(setup.spec, limits, setup.policy.stride)


@pytest.mark.parametrize("words", _SCHEMES, ids=str)
def test_no_frame_of_a_run_is_larger(words: dict[str, Any]) -> None:
    journal = MemoryJournal()
    coins = iter([0.0, 1.0] * 500_000)
    result = identify(
        {"a": lambda: next(coins), "b": lambda: 1.0 - next(coins) / 2},
        seed=1,
        journal=journal,
        max_rounds=12,
        **words,
    )
    assert result.rounds > 1
    sizes = _sizes(Limits(rounds=12), **words)
    heard: Counter[int] = Counter()
    for entry in journal.read(1):
        event = entry.event
        if isinstance(event, ReportAccepted):
            heard[event.arm] += 1
            report = Report(run=0, arm=event.arm, message=event.message, symbol=event.symbol)
            assert len(wire.encode(report)) <= sizes.report
            assert event.symbol.nbits <= sizes.symbol_bits
            assert event.message <= sizes.messages
        if isinstance(event, RoundOpened):
            for advance in event.advances:
                request = Request(
                    run=0,
                    arm=advance.arm,
                    message=heard[advance.arm] + 1,
                    until=advance.until,
                    hint=advance.hint,
                )
                assert len(wire.encode(request)) <= sizes.request


def test_jumps_reach_checkpoints_that_the_rounds_alone_would_not() -> None:
    words = {**_BOUNDED, "quantizer": "icq", "bits": 3, "growth": 1.3, "first": 2}
    assert _sizes(Limits(rounds=6), **words).request == 13  # the sixth checkpoint: 8 pulls
    assert _sizes(Limits(rounds=6), **words, policy="quiet").request == 18  # 10^12 pulls
    assert _sizes(Limits(rounds=6, samples=100), **words, policy="quiet").request == 13
    assert _sizes(Limits(rounds=1), **words, policy="quiet").request == 13  # nobody jumps


def test_a_hint_takes_nine_bytes_of_a_request() -> None:
    plain = _sizes(Limits(), **_BOUNDED, quantizer="icq", bits=3)
    hinted = _sizes(Limits(), **_BOUNDED, quantizer="dicq")
    assert hinted.request == plain.request + 9


@pytest.mark.parametrize("kappa_cut", [0.3, 4.0])
@pytest.mark.parametrize("jump", [1, 2, 7, 19])
def test_no_jump_of_means_and_pulls_takes_a_longer_symbol(jump: int, kappa_cut: float) -> None:
    """However the mean moves between two visits, with a cut below it or without."""
    setup = _setup(**_BOUNDED, quantizer="dicq", policy="quiet", kappa_cut=kappa_cut, checkpoints=[
        2, 3, 5, 9, 16, 30, 60, 130, 250, 500, 999, 2000, 4000, 9000, 10**5, 10**6, 10**7, 10**8,
        10**9, 10**10,
    ])  # fmt: skip
    spec = setup.spec
    sizes = largest_frames(spec, Limits(), setup.policy.stride)
    hints = (None, Hint(kind=HintKind.CUT, value=-1.0))
    longest = 0
    for before in range(1, 21 - jump):
        (t, u) = (spec.schedule.pulls_at(before), spec.schedule.pulls_at(before + jump))
        assert t is not None
        assert u is not None
        for old, new in product(hints if before > 1 else (None,), hints):
            step, held = spec.step(before, t, old), []
            for mean in (0.0, 0.4, 1.0):
                symbol = spec.quantizer.encode(mean, spec.start(0), step, 0.0)
                held.append(spec.quantizer.decode(symbol, spec.start(0), step))
            step = spec.step(before + 1, u, new)
            longest = max(
                longest,
                *(
                    spec.quantizer.encode(number / 99, one, step, 0.0).nbits
                    for one in held
                    for number in range(100)
                ),
            )
    assert 0 < longest <= sizes.symbol_bits


@pytest.mark.parametrize("rounds", [1, 2, 3, 5, 7, 12, 30])
@pytest.mark.parametrize("kappa", [0.3, 2.5])
def test_no_jump_within_the_bounds_takes_a_longer_symbol(rounds: int, kappa: float) -> None:
    """However the mean moves: what rewards drawn from a law would hardly do, an adversary may."""
    spec = _setup(**_BOUNDED, quantizer="dicq", kappa=kappa).spec
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
    sizes = largest_frames(spec, Limits(rounds=rounds), Stride.TOGETHER)
    assert longest <= sizes.symbol_bits


def test_icq_over_a_doubling_schedule_fits_the_short_frame() -> None:
    sizes = _sizes(Limits(), **_BOUNDED, quantizer="icq", bits=3)
    assert (sizes.report, sizes.request, sizes.messages, sizes.symbol_bits) == (11, 18, 39, 3)


def test_a_limit_on_rounds_makes_requests_smaller() -> None:
    assert _sizes(Limits(rounds=6), **_BOUNDED, quantizer="icq").request == 13  # 64 pulls: one byte


def test_many_arms_make_frames_larger() -> None:
    sizes = _sizes(Limits(), arms=70_000, **_BOUNDED, quantizer="icq", prior="midpoint")
    assert sizes.report > 11  # beyond arm 65535 there is no short frame


def test_unbounded_rewards_have_a_longest_symbol_all_the_same() -> None:
    """A quantizer refuses means that a float64 cannot resolve in its steps."""
    sizes = _sizes(Limits(), sigma=0.5, quantizer="quban")
    assert 90 < sizes.symbol_bits < 120
    assert sizes.report < 51
