import math

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from bitarm.core.quantizers import Exact, Icq, Quantizer, QuBan
from bitarm.core.schedule import GeometricSchedule, ListedSchedule, Schedule, paper_schedule
from bitarm.core.spec import RunSpec
from bitarm.errors import ConfigError
from bitarm.theory import (
    ClosedForm,
    GoodEventBound,
    NoBound,
    closed_form,
    inflation,
    on_good_event,
)
from bitarm.theory.on_good_event import radii


def spec_of(
    quantizer: Quantizer,
    arms: int = 5,
    *,
    delta: float = 1e-5,
    sigma: float = 0.125,
    span: float = 1.0,
    width: str = "paper",
    schedule: Schedule | None = None,
) -> RunSpec:
    uniform = isinstance(quantizer, Icq) and quantizer.prior == "uniform"
    return RunSpec(
        arms=tuple(f"arm {j}" for j in range(arms)),
        delta=delta,
        sigma=sigma,
        bounds=(0.0, span),
        quantizer=quantizer,
        width=width,
        schedule=schedule or paper_schedule(2),
        priors=(span / 3,) * arms if uniform else (),
        seed=7,
    )


def form_of(spec: RunSpec, means: tuple[float, ...]) -> ClosedForm:
    form = closed_form(spec, means)
    assert isinstance(form, ClosedForm)
    return form


def met(form: ClosedForm) -> dict[str, bool]:
    return {condition.name: condition.holds for condition in form.conditions}


@st.composite
def problems(draw: st.DrawFn) -> tuple[RunSpec, tuple[float, ...]]:
    bits = draw(st.integers(1, 4))
    schemes: list[Quantizer] = [
        Exact(),
        Icq(bits=bits),
        Icq(bits=bits, prior="midpoint"),
        Icq(bits=bits, prior="quban"),
    ]
    quantizer = draw(st.sampled_from(schemes))
    largest = 9 if isinstance(quantizer, Exact) else min(4**bits - 1, 17)
    sigma = 10 ** draw(st.floats(-2, 1))
    span = sigma * draw(st.floats(0.1, 30))
    arms = draw(st.integers(2, 6))
    shares = draw(st.lists(st.floats(0, 1), min_size=arms, max_size=arms))
    spec = spec_of(
        quantizer,
        arms,
        delta=10 ** draw(st.floats(-12, -0.01)),
        sigma=sigma,
        span=span,
        schedule=paper_schedule(draw(st.integers(2, largest))),
    )
    return spec, tuple(span * share for share in shares)


@given(problems())
@settings(max_examples=600, deadline=None)
def test_an_upper_bound_on_the_explicit_numbers_wherever_it_is_proven(
    problem: tuple[RunSpec, tuple[float, ...]],
) -> None:
    spec, means = problem
    explicit, form = on_good_event(spec, means), closed_form(spec, means)
    assume(isinstance(explicit, GoodEventBound) and isinstance(form, ClosedForm))
    assert isinstance(explicit, GoodEventBound)
    assert isinstance(form, ClosedForm)
    event(f"all conditions: {all(met(form).values())}, proven: {form.proven}")
    assert form.proven or not all(met(form).values())
    assume(form.proven)
    for i_j, samples in zip(explicit.messages, form.arm_samples, strict=True):
        pulls = spec.schedule.pulls_at(i_j)
        assert pulls is not None
        assert pulls <= samples
    assert explicit.rounds <= form.rounds
    assert explicit.samples <= form.samples
    assert (explicit.payload_bits is None) == (form.payload_bits is None)
    if explicit.payload_bits is not None and form.payload_bits is not None:
        assert explicit.payload_bits <= form.payload_bits


@given(problems())
@settings(max_examples=300, deadline=None)
def test_lemma_5(problem: tuple[RunSpec, tuple[float, ...]]) -> None:
    spec, _ = problem
    means = (0.0,) * (len(spec.arms) - 1) + (spec.bounds[1] if spec.bounds else 1.0,)
    assume(isinstance(spec.quantizer, Icq) and form_of(spec, means).proven)
    assert isinstance(spec.quantizer, Icq)
    assert isinstance(spec.schedule, GeometricSchedule)
    c = inflation(spec.quantizer.bits, spec.schedule.growth)
    for step, radius in radii(spec):
        assert radius <= 2 * c * step.u_prime * (1 + 1e-12)


def test_theorem_1() -> None:
    form = form_of(spec_of(Exact(), 3), (0.0, 0.6, 1.0))
    far, near = (
        102 * 2 * 0.125**2 / gap**2 * math.log(64 * 0.125**2 * math.sqrt(12 / 1e-5) / gap**2) + 2
        for gap in (1.0, 0.4)
    )
    assert form.theorem == "Theorem 1"
    assert form.proven
    assert form.arm_samples == pytest.approx((far, near, near))
    assert form.samples == pytest.approx(far + 2 * near)
    assert form.rounds == pytest.approx(math.log2(near))
    assert form.payload_bits == pytest.approx(64 * (math.log2(far) + 2 * math.log2(near)))


def test_theorem_6() -> None:
    form = form_of(spec_of(Icq(bits=3), 3, sigma=1.0), (0.0, 0.6, 1.0))
    c = (1 + 1 / 8) * 8 / (8 - math.sqrt(2))
    far, near = (
        410 * 2 * c**2 / gap**2 * math.log(256 * c**2 * math.sqrt(12 / 1e-5) / gap**2) + 2
        for gap in (1.0, 0.4)
    )
    assert form.theorem == "Theorem 6"
    assert all(met(form).values())
    assert form.proven
    assert form.arm_samples == pytest.approx((far, near, near))
    assert form.samples == pytest.approx(far + 2 * near)
    assert form.rounds == pytest.approx(math.log2(near))
    assert form.payload_bits == pytest.approx(3 * (math.log2(far) + 2 * math.log2(near)))


def test_the_first_message_of_unbounded_rewards_has_no_length_to_count() -> None:
    form = form_of(spec_of(Icq(bits=3, prior="quban")), (0, 0, 0, 0, 0.5))
    assert form.proven
    assert form.payload_bits is None


@pytest.mark.parametrize(
    ("bits", "growth", "c"),
    [
        (3, 2, 9 / (8 - math.sqrt(2))),
        (1, 2, 3 / (2 - math.sqrt(2))),
        (1, 3.5, 3 / (2 - math.sqrt(3.5))),
        (1, 4, math.inf),
        (1, 9, math.inf),
        (30, 2, 1.0),
    ],
)
def test_c(bits: int, growth: float, c: float) -> None:
    assert inflation(bits, growth) == pytest.approx(c)


def test_c_rises_with_growth_and_falls_with_bits() -> None:
    assert inflation(2, 2) < inflation(2, 3) < inflation(2, 9)
    assert inflation(2, 2) > inflation(3, 2) > inflation(4, 2)


@pytest.mark.parametrize(
    ("spec", "fails"),
    [
        (spec_of(Exact(), width="lil"), "paper_width"),
        (spec_of(Exact(), schedule=paper_schedule(2.5)), "integer_growth"),
        (
            spec_of(Exact(), schedule=GeometricSchedule(growth=2, first=3)),
            "integer_growth",
        ),
        (spec_of(Icq(bits=1), sigma=1.0, schedule=paper_schedule(4)), "sparsity"),
        (spec_of(Icq(bits=1), sigma=0.01), "small_delta"),
    ],
)
def test_a_condition_that_fails_is_named_and_voids_the_proof(spec: RunSpec, fails: str) -> None:
    form = form_of(spec, (0, 0, 0, 0, 0.1))
    assert [name for name, holds in met(form).items() if not holds] == [fails]
    assert not form.proven


def test_conditions_of_the_paper_that_are_stronger_than_needed() -> None:
    large_gaps = form_of(spec_of(Exact(), sigma=1e-3), (0, 0, 0, 0, 1.0))
    assert not met(large_gaps)["small_gaps"]
    assert large_gaps.proven
    assert large_gaps.arm_samples == (2,) * 5
    assert large_gaps.rounds == 1
    papers_own_figure = form_of(spec_of(Icq(bits=3)), (0, 0, 0, 0, 0.5))
    assert not met(papers_own_figure)["small_delta"]
    assert papers_own_figure.proven


def test_infinite_where_c_is() -> None:
    form = form_of(spec_of(Icq(bits=1), schedule=paper_schedule(9)), (0, 0, 0, 0, 0.5))
    assert form.rounds == form.samples == form.payload_bits == math.inf


@pytest.mark.parametrize("gap", [5e-324, 1e-200, 1e200])
def test_gaps_at_the_ends_of_what_a_float_holds(gap: float) -> None:
    spec = spec_of(Exact(), 2, sigma=1e-100 if gap > 1 else 1.0, span=1e300)
    form = form_of(spec, (0, gap))
    assert form.samples == (4 if gap > 1 else math.inf)


def test_no_bound() -> None:
    assert closed_form(spec_of(Exact(), 2), (0.5, 0.5)) is NoBound.TIE
    assert closed_form(spec_of(QuBan(), 2), (0, 0.5)) is NoBound.NO_THEOREM
    listed = spec_of(Exact(), 2, schedule=ListedSchedule(checkpoints=(2, 4)))
    assert closed_form(listed, (0, 0.5)) is NoBound.NO_THEOREM


def test_means_must_fit_the_arms() -> None:
    with pytest.raises(ConfigError, match="5 arms need as many means, got 2"):
        closed_form(spec_of(Exact()), (0.1, 0.2))
