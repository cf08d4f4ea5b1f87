"""Bounds on the frames of a run, against the frames of runs."""

import math
import random
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pytest
from quantizing import decode, encode

from bitarm import wire
from bitarm.api.identify import identify
from bitarm.api.scheme import build
from bitarm.api.words import split
from bitarm.core.agent import Agent
from bitarm.core.confidence import Stride
from bitarm.core.events import ReportAccepted, RoundOpened
from bitarm.core.learner import Learner
from bitarm.core.limits import Limits
from bitarm.core.messages import Report, Request
from bitarm.core.quantizers import QUANTIZERS
from bitarm.core.setup import Setup
from bitarm.links.frame_sizes import FrameSizes, largest_frames
from bitarm.store import MemoryJournal

_BOUNDED: dict[str, Any] = {"bounds": (0.0, 1.0)}
_JUDGED: dict[str, Any] = {"quantizer": "dyadic", "policy": "challenge"}
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
    {**_BOUNDED, **_JUDGED, "width": "bounded"},
    {"bounds": (-1.3, 17.7), **_JUDGED, "width": "bounded"},
    {"sigma": 0.5, **_JUDGED, "width": "sub-gaussian"},
    {**_BOUNDED, **_JUDGED, "cap": 200.0, "kappa_cut": 0.05},
    {**_BOUNDED, "quantizer": "dyadic", "policy": "se"},
]


def _setup(arms: int = 2, **words: Any) -> Setup:
    return _built(arms, *split(words))


def _built(
    arms: int, problem: dict[str, Any], scheme: dict[str, Any], limits: dict[str, Any]
) -> Setup:
    names = tuple(f"arm-{number}" for number in range(arms))
    return build(names, seed=1, problem=problem, scheme=scheme, limits=limits)


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
    for entry in journal.read(1):
        event = entry.event
        if isinstance(event, ReportAccepted):
            report = Report(run=0, arm=event.arm, message=event.message, symbol=event.symbol)
            assert len(wire.encode(report)) <= sizes.report
            assert event.symbol.nbits <= sizes.symbol_bits
            assert event.message <= sizes.messages
        if isinstance(event, RoundOpened):
            for request in event.requests:
                assert len(wire.encode(request)) <= sizes.request


def test_jumps_reach_checkpoints_that_the_rounds_alone_would_not() -> None:
    words = {**_BOUNDED, "quantizer": "icq", "bits": 3, "growth": 1.3, "first": 2}
    spec = _setup(**words).spec

    def request(limits: Limits, stride: Stride) -> int:
        return largest_frames(spec, limits, stride).request

    assert request(Limits(rounds=6), Stride.TOGETHER) == 35  # the sixth checkpoint: 8 pulls
    assert request(Limits(rounds=6), Stride.EVEN) == 40  # 10^12 pulls
    assert request(Limits(rounds=6, samples=100), Stride.EVEN) == 35
    assert request(Limits(rounds=1), Stride.EVEN) == 35  # nobody jumps


def test_what_a_question_adds_to_a_request() -> None:
    """Bytes of a code's numbers, at 10^12 pulls: a real has ten at most."""
    raw = _sizes(Limits(), **_BOUNDED, quantizer="exact").request
    assert raw == 19
    assert _sizes(Limits(), **_BOUNDED, quantizer="icq").request == raw + 10 + 10 + 1
    assert _sizes(Limits(), **_BOUNDED, quantizer="quban").request == raw + 10 + 4 + 4
    assert _sizes(Limits(), sigma=0.5, quantizer="quban").request == raw + 10 + 8 + 4
    assert _sizes(Limits(), **_BOUNDED, quantizer="fed-sel").request == raw + 10 + 10 + 3
    one_by_one = _sizes(Limits(), **_BOUNDED, quantizer="dicq", policy="se").request
    assert one_by_one == raw + 10 + 10 + 1  # centre, step, divisor
    spec = _setup(**_BOUNDED, quantizer="dicq").spec
    jumping = largest_frames(spec, Limits(), Stride.EVEN).request
    assert jumping == one_by_one + 2  # a divisor for a mean that was not heard for long


_EVERY: list[dict[str, Any]] = [
    {**_BOUNDED, "quantizer": "exact"},
    {**_BOUNDED, "quantizer": "icq"},
    {"sigma": 0.5, "quantizer": "icq", "prior": "quban"},
    {**_BOUNDED, "quantizer": "quban"},
    {"sigma": 0.5, "quantizer": "quban"},
    {**_BOUNDED, "quantizer": "fed-sel"},
    {**_BOUNDED, "quantizer": "fed-sel-paper"},
    {**_BOUNDED, "quantizer": "dicq", "policy": "se"},
    {"sigma": 0.5, "quantizer": "dicq", "policy": "se"},
    {**_BOUNDED, "quantizer": "dyadic", "policy": "se"},
    {**_BOUNDED, **_JUDGED, "width": "bounded"},
    {"bounds": (-1.3, 17.7), **_JUDGED, "width": "bounded"},
    {"sigma": 0.5, **_JUDGED, "width": "sub-gaussian"},
    {
        **_BOUNDED,
        "quantizer": "dicq",
        "policy": "sequential-halving",
        "pull_budget": 2_000_000,
        "bit_budget": 20_000,
    },
]


def test_every_quantizer_is_measured() -> None:
    setups = (split(words) for words in _EVERY)
    assert {_built(2, *setup).spec.quantizer.name for setup in setups} == set(QUANTIZERS)


@pytest.mark.parametrize("words", _EVERY, ids=str)
def test_no_request_takes_more_than_a_slow_lorawan_frame_has(words: dict[str, Any]) -> None:
    """48 bytes for arms below 2^21 at 10^12 pulls. DR0 carries 51 there.

    The bound is for two arms: their numbers take a byte, those below 2^21 three.
    """
    setup = _built(2, *split(words))
    sizes = largest_frames(setup.spec, Limits(), setup.policy.stride)
    assert sizes.messages < (1000 if setup.policy.stride is Stride.JUDGED else 128)
    assert sizes.request + 2 <= 48


@pytest.mark.slow
@pytest.mark.parametrize("words", _EVERY, ids=str)
def test_the_requests_of_a_thousand_arms(words: dict[str, Any]) -> None:
    """One by one within 48 bytes; packed within 11 bytes an arm, where arms are asked together."""
    together = 0
    for opened in _rounds(1000, words, rounds=6):
        for request in opened.requests:
            assert len(wire.encode(request)) <= 48
        for _, group in groupby(sorted(opened.requests, key=_asked_together), key=_asked_together):
            requests = list(group)
            if len(requests) >= 100:
                together += 1
                packed = sum(len(frame) for frame in wire.pack_all(requests))
                assert packed <= 11 * len(requests)
    assert together >= 2


def _asked_together(request: Request) -> tuple[int, str, str]:
    question = request.question
    return question.until, getattr(question.task, "name", ""), question.code.name


def _rounds(arms: int, words: dict[str, Any], rounds: int) -> Iterator[RoundOpened]:
    """The first rounds of a run of real machines, whose rewards are drawn as sums."""
    setup = _built(arms, *split(words))
    learner = Learner(setup)
    agents = [Agent(learner.run, arm) for arm in range(arms)]
    draw = random.Random(1)
    output = learner.start()
    for _ in range(rounds):
        yield from (event for event in output.events if isinstance(event, RoundOpened))
        for request in learner.pending:
            agent = agents[request.arm]
            answers = agent.receive(request)
            while agent.wanted or agent.is_looking:
                if agent.is_looking:
                    answers = agent.look()
                    continue
                count = agent.wanted
                total = count * (0.3 + 0.4 * (request.arm * 7919 % arms) / arms)
                noisy = total + 0.3 * math.sqrt(count) * draw.gauss(0, 1)
                within = min(max(noisy, 0.0), float(count))
                answers = agent.observe(count, within, [within / count] * count)
            for answer in answers:
                output = learner.receive(answer)


@pytest.mark.parametrize("kappa", [0.3, 2.0])
@pytest.mark.parametrize("jump", [1, 2, 7, 19])
def test_no_jump_of_means_and_pulls_takes_a_longer_symbol(jump: int, kappa: float) -> None:
    """However the mean moves between two visits."""
    setup = _setup(**_BOUNDED, quantizer="dicq", kappa=kappa, checkpoints=[
        2, 3, 5, 9, 16, 30, 60, 130, 250, 500, 999, 2000, 4000, 9000, 10**5, 10**6, 10**7, 10**8,
        10**9, 10**10,
    ])  # fmt: skip
    spec = setup.spec
    sizes = largest_frames(spec, Limits(), Stride.EVEN)
    longest = 0
    for before in range(1, 21 - jump):
        (t, u) = (spec.schedule.pulls_at(before), spec.schedule.pulls_at(before + jump))
        assert t is not None
        assert u is not None
        step, held = spec.occasion(before, t), []
        for mean in (0.0, 0.4, 1.0):
            symbol = encode(spec.quantizer, mean, spec.start(0), step)
            held.append(decode(spec.quantizer, symbol, spec.start(0), step))
        step = spec.occasion(before + 1, u)
        longest = max(
            longest,
            *(
                encode(spec.quantizer, number / 99, one, step).nbits
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
        step = spec.occasion(message, pulls)
        symbols = [
            (encode(spec.quantizer, number / 400, one, step), one)
            for one in held
            for number in range(401)
        ]
        longest = max(longest, *(symbol.nbits for symbol, _ in symbols))
        ends = (symbols[0], symbols[-1])
        held = [decode(spec.quantizer, symbol, one, step) for symbol, one in ends]
    sizes = largest_frames(spec, Limits(rounds=rounds), Stride.TOGETHER)
    assert longest <= sizes.symbol_bits


def test_icq_over_a_doubling_schedule_fits_the_short_frame() -> None:
    sizes = _sizes(Limits(), **_BOUNDED, quantizer="icq", bits=3)
    assert (sizes.report, sizes.request, sizes.messages, sizes.symbol_bits) == (11, 40, 39, 3)


def test_a_limit_on_rounds_makes_requests_smaller() -> None:
    assert _sizes(Limits(rounds=6), **_BOUNDED, quantizer="icq").request == 35  # 64 pulls: one byte


def test_a_wide_gap_in_the_middle_of_a_list_is_not_overlooked() -> None:
    """D-ICQ's divisor grows with the pulls between two reports: here to two bytes, once."""
    points = [*range(1, 31), 10**8, *range(10**8 + 1, 10**8 + 31)]
    gap = _sizes(Limits(), **_BOUNDED, quantizer="dicq", policy="se", checkpoints=points)
    none = _sizes(Limits(), **_BOUNDED, quantizer="dicq", policy="se", checkpoints=[*range(1, 62)])
    # until takes four bytes instead of one, the divisor two; only the first request has an escape
    assert gap.request == none.request + 3 + 1 - 1


def test_many_arms_make_frames_larger() -> None:
    sizes = _sizes(Limits(), arms=70_000, **_BOUNDED, quantizer="icq", prior="midpoint")
    assert sizes.report > 11  # beyond arm 65535 there is no short frame


def test_unbounded_rewards_have_a_longest_symbol_all_the_same() -> None:
    """A quantizer refuses means that a float64 cannot resolve in its steps."""
    sizes = _sizes(Limits(), sigma=0.5, quantizer="quban")
    assert 90 < sizes.symbol_bits < 120
    assert sizes.report < 51
