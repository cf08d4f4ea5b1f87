"""Frames on a link: priced as the ledger of a real run counts them, and only where they fit."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from planner.tasks import task_of

from bitarm.api.scheme import build
from bitarm.core.codes import Levels, Raw
from bitarm.core.events import LearnerEvent, RoundOpened
from bitarm.core.messages import Request
from bitarm.core.question import Question
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.core.standings import Standings
from bitarm.links.airtime import air_seconds
from bitarm.links.cost import LinkLedger
from bitarm.links.profiles import Link, find_link
from bitarm.planner.candidates import starting_settings
from bitarm.planner.link_costs import LinkCheck, run_units
from bitarm.planner.prices import unit_of
from bitarm.planner.setting_simulator import SettingSimulator
from bitarm.planner.testbeds import Effort
from bitarm.sim.environment import Environment, environment_of
from bitarm.sim.kernels.status import BITS, COLUMNS, MESSAGES, ROUNDS
from bitarm.sim.machines import run_trial
from bitarm.sim.models import Bernoulli, Gaussian
from bitarm.sim.tape import empty_tape
from bitarm.sim.trials import Trials
from bitarm.sim.twins import checkpoints
from bitarm.wire import encode

_ENVIRONMENT = environment_of([Gaussian(mean=mean, sd=1.0) for mean in (0.0, 0.4, 1.0, 0.2)])
_LORA = find_link("lorawan-eu868-dr0")


_COINS = environment_of([Bernoulli(mean=mean) for mean in (0.3, 0.2, 0.7, 0.25)])


def _setup(**words: Any) -> Setup:
    return _judged({"sigma": 1.0, "delta": 1e-4}, **{"width": "pairwise"} | words)


def _judged(problem: dict[str, Any], **words: Any) -> Setup:
    return build(("a", "b", "c", "d"), seed=0, problem=problem, scheme=words, limits={})


def _run(*, rounds: int = 2, messages: int = 8, bits: int = 24) -> Trials:
    """One run that cost so much."""
    table = np.zeros((1, COLUMNS), dtype=np.int64)
    table[0, [ROUNDS, MESSAGES, BITS]] = rounds, messages, bits
    return Trials(table)


def _second(link: Link, setup: Setup, untils: list[int]) -> float:
    """What the second messages of all arms cost."""
    one, two = (
        run_units(link, setup, untils, _run(rounds=rounds, messages=4 * rounds, bits=8 * rounds))
        for rounds in (1, 2)
    )
    return float((two - one)[0]) / 4


def _spellable(events: Sequence[LearnerEvent]) -> list[LearnerEvent]:
    """A tape's dithers are finer than those that frames carry."""

    def rounded(request: Request) -> Request:
        code = request.question.code
        if isinstance(code, Levels):
            code = replace(code, dither=int(code.dither * 2**32) / 2**32)
        return replace(request, question=replace(request.question, code=code))

    return [
        replace(event, requests=tuple(rounded(request) for request in event.requests))
        if isinstance(event, RoundOpened)
        else event
        for event in events
    ]


def _sides(
    setup: Setup, link: Link, untils: list[int], environment: Environment = _ENVIRONMENT
) -> tuple[float, float]:
    """What twenty runs cost by their ledgers, and by our prices."""
    rng = np.random.Generator(np.random.SFC64(1))
    grid = np.array(checkpoints(setup))
    tape = empty_tape(grid, trials=20, messages=grid.size, units=rng.random((20, 4)))
    counted, runs = 0.0, []
    for trial in range(20):
        ledger, followed = LinkLedger(link), list[LearnerEvent]()

        def count(
            events: Sequence[LearnerEvent],
            ledger: LinkLedger = ledger,
            followed: list[LearnerEvent] = followed,
        ) -> None:
            ledger.watch(_spellable(events))
            followed += events

        run_trial(setup, tape, environment, rng, trial, count)
        end = Standings.of(followed)
        messages = sum(arm.messages for arm in end.arms)
        runs.append(_run(rounds=end.round, messages=messages, bits=end.payload_bits))
        for use in ledger.devices():
            air = (use.air_seconds_up or 0.0) + (use.air_seconds_down or 0.0)
            counted += air or use.bytes_up + use.bytes_down
    return counted, float(sum(run_units(link, setup, untils, run)[0] for run in runs))


@pytest.mark.parametrize("link", ["lorawan-eu868-dr0", "nb-iot"])
@pytest.mark.parametrize(
    "words",
    [
        {"quantizer": "dicq", "policy": "se"},
        {"quantizer": "dicq", "policy": "se", "kappa": 0.01},  # divisors of two bytes
        {"quantizer": "icq", "bits": 2},
        {"quantizer": "exact"},
        {"quantizer": "quban", "epsilon_quban": 2.0**-9},  # codewords of 25 bits
    ],
    ids=lambda words: str(words["quantizer"]),
)
def test_frames_are_priced_nearly_as_ledgers_say(link: str, words: dict[str, Any]) -> None:
    setup = _setup(**words)
    counted, priced = _sides(setup, find_link(link), list(checkpoints(setup)[:12]))
    assert priced == pytest.approx(counted, rel=0.04)


@pytest.mark.parametrize("link", ["lorawan-eu868-dr0", "nb-iot"])
@pytest.mark.parametrize("start", [2, 40])
def test_frames_of_agents_that_judge_are_priced_nearly_as_ledgers_say(
    link: str, start: int
) -> None:
    words = {"quantizer": "dyadic", "policy": "challenge", "start": start}
    known = _judged({"sigma": 1.0, "delta": 1e-4}, **words)
    counted, priced = _sides(known, find_link(link), [start, 300])
    assert priced == pytest.approx(counted, rel=0.06)
    bets = _judged({"bounds": (0.0, 1.0), "delta": 0.01}, **words)
    counted, priced = _sides(bets, find_link(link), [max(start, 24), 150], _COINS)
    assert priced == pytest.approx(counted, rel=0.06)


def test_later_messages_cost_more_where_their_requests_are_longer() -> None:
    setup, link = _setup(quantizer="icq", policy="se"), find_link("nb-iot")
    soon, late = (_second(link, setup, [2**n, 2 ** (n + 1)]) for n in (1, 19))
    assert late > soon


def test_the_code_that_a_quantizer_asks_for_is_what_its_requests_cost() -> None:
    """The same message of the same arm: up to 20 bytes of reals, 10 with a dither, or none."""
    costs = {
        name: _second(find_link("nb-iot"), _setup(quantizer=name, policy="se"), [2, 4])
        for name in ("icq", "quban", "exact", "dicq")
    }
    few = 11 + 14  # a short report, and the request with nothing in its question
    assert costs["exact"] == few
    assert few + 2 + 1 + 4 <= costs["quban"] <= few + 10 + 1 + 4
    assert few + 2 + 2 + 1 <= costs["dicq"] <= few + 10 + 10 + 1
    assert few + 2 + 2 + 1 <= costs["icq"] <= few + 10 + 10 + 1


def test_air_time_is_that_of_both_frames() -> None:
    each = _second(_LORA, _setup(quantizer="exact"), [2, 4])
    question = Question(until=4, code=Raw())
    request = len(encode(Request(run=0, arm=3, message=2, question=question)))
    assert _LORA.up.rate is not None
    assert _LORA.down.rate is not None
    assert each == pytest.approx(
        air_seconds(_LORA.up.rate, 11, up=True) + air_seconds(_LORA.down.rate, request, up=False)
    )


@pytest.mark.slow  # compiles kernels
def test_a_first_report_past_all_gaps_has_its_price_too() -> None:
    """Where the data choose when arms report, the last time is not before the first."""
    task = task_of(link="nb-iot", gap=2.0)
    simulator = SettingSimulator(task, seed=1)
    testbed = simulator.testbed(1, Effort(environments=4, runs=4))
    setting = next(setting for setting in starting_settings(task) if setting.is_judged)
    figures = simulator.measure(setting.with_word("start", 4 * task.longest), testbed)
    assert figures is not None
    assert figures.cost.mean > 25 * task.arms


def test_units_are_named() -> None:
    assert unit_of(_LORA) == "second of air time"
    assert unit_of(find_link("nb-iot")) == "byte of frames"


def test_fit_is_what_the_links_own_check_says() -> None:
    task = task_of(bounds=(0.0, 1.0), gap=0.3, link="lorawan-us915-dr0")
    simulator = SettingSimulator(task, seed=1)
    fit = LinkCheck(task, simulator.spec_of)
    by_name = {
        setting.words["quantizer"]: setting
        for setting in starting_settings(task)
        if setting.words.get("growth", 2.0) == 2.0
    }
    assert fit.carries(by_name["icq"])
    assert not fit.carries(by_name["dicq"])
    assert "carries 11 bytes up" in fit.refusal
    assert fit.carries(by_name["dyadic"])  # an answer that is too long is asked for again


def test_without_a_link_everything_fits_and_nothing_is_asked() -> None:
    def spec_of(_: object) -> RunSpec:
        raise AssertionError("nobody needs to know")

    task = task_of()
    assert LinkCheck(task, spec_of).carries(starting_settings(task)[0])
