"""The laws of `Quantizer` that speak of hints: centres to count from, and tasks to judge by."""

import math
from dataclasses import replace

import pytest
from contracts.moments import Case, Moment, dithers, fractions, moments
from contracts.quantizer_cases import SETTINGS, around, slack
from hypothesis import given, settings
from hypothesis import strategies as st
from quantizing import decode, encode

from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.bets import Bets
from bitarm.core.evidence.tasks import TASKS, Challenge, Edge, Pilot, Task
from bitarm.core.hint import Hint, HintKind
from bitarm.core.quantizers.dyadic import unit_of
from bitarm.core.question import BEATEN

hinted_cases = pytest.mark.parametrize(
    "case",
    [case for cases in SETTINGS.values() for case in cases if case.quantizer.hinted],
    ids=str,
)


@hinted_cases
@settings(max_examples=60)
@given(data=st.data(), fraction=fractions, dither=dithers, away=st.floats(-8, 8))
def test_law_2_holds_around_any_centre(
    case: Case, data: st.DataObject, fraction: float, dither: float, away: float
) -> None:
    moment, quantizer = data.draw(moments(case)), case.quantizer
    value = moment.mean(fraction) + away * quantizer.error(moment.held, moment.occasion)
    occasion = replace(moment.occasion, hint=Hint(kind=HintKind.CENTRE, value=value))
    for mu_hat in (moment.low, moment.high, *around(replace(moment, occasion=occasion))):
        symbol = encode(quantizer, mu_hat, moment.held, occasion, dither)
        decoded = decode(quantizer, symbol, moment.held, occasion)
        assert decoded.holds(mu_hat, occasion.pulls)
        assert abs(decoded.mean - mu_hat) <= decoded.error


def judging(draw: st.DrawFn, task: str, moment: Moment) -> Hint:
    """A hint as of a policy whose agents judge: what it is known by, and the task."""
    sigma, pulls = moment.occasion.sigma, moment.occasion.pulls
    scale = Scale.of_sigma(sigma)  # of which count and mean are all the evidence
    if task != "challenge":
        scale = Scale(bounded=True, low=moment.low, unit=moment.high - moment.low)
    value = draw(st.floats(moment.low, moment.high))
    made: Task = Pilot()
    if task == "edge":
        made = Edge(first=draw(st.integers(0, 61)), spread=draw(st.integers(-40, 2)))
    if task == "challenge":
        unit = unit_of(sigma / math.sqrt(pulls)) / 8
        hurdles = draw(st.tuples(*[st.integers(0, 255)] * 3))
        edge = math.floor(value / unit) * unit
        made = Challenge(edge=edge, first=draw(st.integers(0, 61)), hurdles=hurdles)
    return Hint(
        kind=HintKind[{"edge": "LEADER"}.get(task, task.upper())],
        value=value,
        deviation=sigma / math.sqrt(pulls) * draw(st.floats(0.1, 10)),
        scale=scale,
        task=made,
        rival=1,
    )


judging_cases = pytest.mark.parametrize("case", SETTINGS["dyadic"], ids=str)


def _constant(hint: Hint, mean: float, pulls: int) -> Bets | None:
    """What an arm keeps whose rewards are all alike, and were foreseen."""
    if hint.scale is None or not hint.scale.bounded:
        return None
    total = pulls * hint.scale.inward(mean)
    return Bets(total=total, predicted=total, squares=0.0)


@pytest.mark.slow
@judging_cases
@pytest.mark.parametrize("task", TASKS)
@settings(max_examples=60)
@given(data=st.data(), fraction=fractions, away=st.floats(-8, 8))
def test_law_5_what_a_task_tells_is_true_on_its_side(
    case: Case, task: str, data: st.DataObject, fraction: float, away: float
) -> None:
    moment, quantizer = data.draw(moments(case)), case.quantizer
    hint = data.draw(st.composite(judging)(task, moment))
    occasion = replace(moment.occasion, hint=hint)
    question = quantizer.question(moment.held, occasion, 0.0)
    assert question.task == hint.task
    assert question.scale == hint.scale
    near = hint.value + away * quantizer.error(moment.held, occasion)
    for mu_hat in (moment.mean(fraction), min(max(near, moment.low), moment.high)):
        symbol = question.answer(mu_hat, _constant(hint, mu_hat, occasion.pulls))
        decoded = decode(quantizer, symbol, moment.held, occasion)
        if symbol == BEATEN and task == "challenge":
            assert decoded == moment.held
            continue
        assert decoded.holds(mu_hat, occasion.pulls)
        assert decoded.error == quantizer.error(moment.held, occasion)
        assert decoded.open_above is (task == "edge")
        assert task == "challenge" or not decoded.open_below
        if task == "edge":
            assert decoded.mean - decoded.error <= mu_hat + slack(moment, mu_hat)
            assert isinstance(hint.task, Edge)
            assert decoded.rung == hint.task.first
        elif not decoded.open_below:
            assert abs(decoded.mean - mu_hat) <= decoded.error + slack(moment, mu_hat)
        else:
            assert mu_hat <= decoded.mean + decoded.error
        assert (decoded.spread is None) is (task == "challenge" and moment.held.spread is None)


@pytest.mark.parametrize(
    "case",
    [case for cases in SETTINGS.values() for case in cases if not case.quantizer.hinted],
    ids=str,
)
@settings(max_examples=8)  # for each of many cases
@given(data=st.data(), fraction=fractions, dither=dithers)
def test_law_5_hints_change_nothing_in_schemes_that_take_none(
    case: Case, data: st.DataObject, fraction: float, dither: float
) -> None:
    moment, quantizer = data.draw(moments(case, hinted=True)), case.quantizer
    held, occasion, plain = moment.held, moment.occasion, replace(moment.occasion, hint=None)
    mu_hat = moment.mean(fraction)
    symbol = encode(quantizer, mu_hat, held, plain, dither)
    assert encode(quantizer, mu_hat, held, occasion, dither) == symbol
    assert decode(quantizer, symbol, held, occasion) == decode(quantizer, symbol, held, plain)
    assert quantizer.error(held, occasion) == quantizer.error(held, plain)
    assert quantizer.least_bits(occasion) == quantizer.least_bits(plain)
