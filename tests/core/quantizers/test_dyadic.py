"""Dyadic: steps of few binary digits, centres on them, and what each kind of hint changes."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quantizing import decode, encode

from bitarm.core.bounds import Bounds
from bitarm.core.codes import Above, Nearest
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.tasks import MOST_BELOW, Challenge
from bitarm.core.hint import Hint, HintKind
from bitarm.core.quantizer import NOTHING_KNOWN, Estimate, Occasion
from bitarm.core.quantizers import Dyadic
from bitarm.core.quantizers.dyadic import divisor_for, dyadic, unit_of
from bitarm.errors import ConfigError, LocalProtocolError

SCALE = Scale(bounded=False, low=0.0, unit=1.0)
sizes = st.floats(1e-9, 1e9)


def occasion(
    *, pulls: int = 100, message: int = 2, hint: Hint | None = None, bounds: Bounds | None = None
) -> Occasion:
    return Occasion(
        message=message,
        pulls=pulls,
        index=message,
        u_prime=1.0,
        sigma=1.0,
        bounds=bounds,
        hint=hint,
    )


def held(mean: float = 0.3, pulls: int = 50) -> Estimate:
    return Estimate(mean=mean, error=0.1, radius=1.0, pulls=pulls)


@given(size=sizes)
def test_steps_are_four_to_eight_times_a_power_of_two_and_near_what_was_wanted(size: float) -> None:
    step, unit = dyadic(size), unit_of(size)
    assert math.frexp(unit)[0] == 0.5
    assert step / unit in (4, 5, 6, 7, 8)
    assert abs(step - size) <= unit / 2
    assert dyadic(step) == step


@given(
    mean=st.floats(-50, 50),
    value=st.floats(-50, 50),
    deviation=st.floats(1e-4, 10),
    kind=st.sampled_from([HintKind.CENTRE, HintKind.PILOT, HintKind.LEADER, HintKind.PLACE]),
)
def test_centres_are_whole_multiples_of_the_steps_power_of_two(
    mean: float, value: float, deviation: float, kind: HintKind
) -> None:
    hint = Hint(kind=kind, value=value, deviation=deviation, scale=SCALE)
    question = Dyadic().question(held(mean), occasion(hint=hint), 0.0)
    code = question.code
    assert isinstance(code, Nearest)
    assert code.centre % unit_of(code.step) == 0
    assert abs(code.centre - value) <= unit_of(code.step) / 2
    assert question.scale == SCALE


_KAPPAS = {
    HintKind.CENTRE: "kappa",
    HintKind.PILOT: "kappa_pilot",
    HintKind.LEADER: "kappa",
    HintKind.PLACE: "kappa_place",
    HintKind.CHALLENGE: "kappa_cut",
}


@pytest.mark.parametrize("kind", HintKind)
def test_each_kind_of_question_has_its_own_step(kind: HintKind) -> None:
    quantizer = Dyadic(kappa=1, kappa_first=2, kappa_cut=4, kappa_pilot=8, kappa_place=16)
    hint = Hint(kind=kind, value=0.0, deviation=0.25)
    assert quantizer.step_size(occasion(hint=hint)) == 0.25 * getattr(quantizer, _KAPPAS[kind])
    first = quantizer.step_size(occasion(hint=hint, message=1))
    assert first == (0.25 * 8 if kind is HintKind.PILOT else 0.25 * 2)


def test_without_a_deviation_sigma_says_how_wide_a_step_is() -> None:
    assert Dyadic(kappa=1.2).step_size(occasion(pulls=100)) == dyadic(0.12)
    assert Dyadic().step_size(occasion(pulls=1, bounds=(0.0, 1.0))) == 0.5  # half of what may be


def test_the_error_is_half_a_step_and_a_rounding() -> None:
    step = Dyadic().step_size(occasion())
    assert Dyadic().error(held(), occasion()) == step / 2 * (1 + 2.0**-14)


@given(
    edge=st.integers(-400, 400), value=st.floats(-60, 60), deviation=st.sampled_from([0.25, 0.5])
)
def test_a_challenged_arm_counts_from_a_few_steps_below_the_edge(
    edge: int, value: float, deviation: float
) -> None:
    task = Challenge(edge=edge / 32, first=4, hurdles=(9, 9, 9))
    hint = Hint(
        kind=HintKind.CHALLENGE, value=value, deviation=deviation, scale=SCALE, task=task, rival=1
    )
    question = Dyadic().question(held(), occasion(hint=hint), 0.0)
    code = question.code
    assert isinstance(code, Above)
    below = (task.edge - code.low) / code.step
    assert below in range(MOST_BELOW + 1)
    assert code.low <= max(value, task.edge - MOST_BELOW * code.step) or value > task.edge
    assert question.task == task


def test_what_is_held_stays_if_an_arm_gives_up() -> None:
    task = Challenge(edge=1.0, first=4, hurdles=(0, 0, 0))
    hint = Hint(kind=HintKind.CHALLENGE, value=0.0, deviation=0.25, scale=SCALE, task=task)
    step = occasion(hint=hint)
    symbol = encode(Dyadic(), -50.0, held(), step)
    assert str(symbol) == "0"
    assert decode(Dyadic(), symbol, held(), step) == held()


@pytest.mark.parametrize("kind", [HintKind.CHALLENGE, HintKind.PLACE])
def test_who_leads_no_more_has_no_edge_any_more(kind: HintKind) -> None:
    """A mean that is only told later is certified by nothing: nobody may be challenged by it."""
    task = Challenge(edge=1.0, first=4, hurdles=(255, 255, 255))
    hint = Hint(
        kind=kind,
        value=0.9,
        deviation=0.25,
        scale=SCALE,
        task=task if kind is HintKind.CHALLENGE else None,
    )
    led = replace(held(), rung=3, spread=-2, open_above=True)
    told = decode(
        Dyadic(), encode(Dyadic(), 1.5, led, occasion(hint=hint)), led, occasion(hint=hint)
    )
    assert told.pulls == 100
    assert (told.rung, told.open_above, told.spread) == (None, False, -2)


def test_before_the_first_message_it_knows_the_bounds_or_nothing() -> None:
    assert Dyadic().start(None, None) == NOTHING_KNOWN
    assert Dyadic().start(None, (-1.0, 3.0)) == Estimate(mean=1.0, error=2.0, radius=2.0)
    with pytest.raises(ConfigError):
        Dyadic().start(0.5, (0.0, 1.0))


@pytest.mark.parametrize("word", ["kappa", "kappa_first", "kappa_cut", "kappa_pilot"])
def test_steps_of_nothing_are_refused(word: str) -> None:
    with pytest.raises(ConfigError, match=word):
        Dyadic(**{word: 0.0})


@pytest.mark.parametrize("finer", [1.0, 1 / 8, 1 / 64])
def test_however_fine_the_steps_a_challenged_arm_can_say_that_it_is_at_the_cut(
    finer: float,
) -> None:
    """A question names 15 steps below the edge, at most: they become longer instead."""
    task = Challenge(edge=0.5, first=2, hurdles=(100, 100, 100))
    hint = Hint(
        kind=HintKind.CHALLENGE, value=0.125, deviation=0.02, scale=Scale.of_sigma(1.0), task=task
    )
    quantizer = Dyadic(kappa_cut=3.0 * finer)
    asked = quantizer.question(NOTHING_KNOWN, occasion(pulls=100, hint=hint), 0.5)
    assert isinstance(asked.code, Above)
    assert asked.code.low <= 0.125
    assert quantizer.error(NOTHING_KNOWN, occasion(pulls=100, hint=hint)) >= asked.code.step / 2


@given(st.floats(0.0, 1e3), st.floats(0.0, 1e3), st.floats(1e-3, 1e3), st.integers(-950, 950))
def test_a_divisor_does_not_depend_on_what_rewards_are_measured_in(
    moved: float, error: float, step: float, exponent: int
) -> None:
    """Also where the square of a deviation is no float."""
    rescaled = (math.ldexp(moved, exponent), math.ldexp(error, exponent))
    smallest = math.ldexp(1.0, -960)  # below, moving the exponent would cost digits
    if all(number == 0 or number >= smallest for number in rescaled):
        anew = divisor_for(*rescaled, math.ldexp(step, exponent))
        assert anew == divisor_for(moved, error, step)


@pytest.mark.parametrize("sigma", [1e-300, 1e-160, 1e160, 1e300])
def test_squares_of_sigma_need_not_be_floats(sigma: float) -> None:
    told = replace(held(mean=0.0), error=sigma / 10)
    question = Dyadic().question(told, replace(occasion(), sigma=sigma), 0.0)
    assert isinstance(question.code, Nearest)


@pytest.mark.parametrize(("sigma", "kappa", "step"), [(5e-324, 0.1, "0.0"), (1.7e308, 99.0, "inf")])
def test_a_step_that_is_no_number_is_refused(sigma: float, kappa: float, step: str) -> None:
    scheme, told = Dyadic(kappa=kappa), replace(held(mean=0.0), error=sigma / 10)
    with pytest.raises(LocalProtocolError, match=f"step must be a finite number.* got {step}"):
        scheme.question(told, replace(occasion(), sigma=sigma), 0.0)


@pytest.mark.parametrize("kappa", [5e-324, 1e-302])
def test_a_challenge_in_steps_of_nothing_is_refused(kappa: float) -> None:
    """No doubling would let them reach from the edge to the cut."""
    task = Challenge(edge=0.5, first=2, hurdles=(100, 100, 100))
    hint = Hint(
        kind=HintKind.CHALLENGE, value=0.125, deviation=0.02, scale=Scale.of_sigma(1.0), task=task
    )
    with pytest.raises(LocalProtocolError, match=r"step must be a finite number.* got 0"):
        Dyadic(kappa_cut=kappa).question(NOTHING_KNOWN, occasion(pulls=100, hint=hint), 0.0)
