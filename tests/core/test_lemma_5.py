"""Lemma 5 of the paper: how far U of ICQ may be above U', and where the bound ends."""

import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.quantizer import Estimate
from bitarm.core.quantizers import Icq
from bitarm.core.schedule import paper_schedule
from bitarm.core.spec import RunSpec


def ratios(spec: RunSpec) -> list[float]:
    """U(i)/U'(i) up to the schedule's end, from the quantizer itself."""
    held, found = spec.start(0), []
    message = 1
    while (t_i := spec.schedule.pulls_at(message)) is not None:
        step = spec.occasion(message, t_i)
        error = spec.quantizer.error(held, step)
        held = Estimate.after(step, mean=held.mean, error=error)
        found.append(held.radius / step.u_prime)
        message += 1
    return found


def icq_spec(
    *, arms: int, delta: float, sigma: float, span: float, bits: int, alpha: int
) -> RunSpec:
    return RunSpec(
        arms=tuple(map(str, range(arms))),
        delta=delta,
        sigma=sigma,
        bounds=(0.0, span),
        quantizer=Icq(bits=bits),
        width="paper",
        schedule=paper_schedule(alpha),
        priors=(0.0,) * arms,
        seed=0,
    )


def lemma_5_constant(bits: int, alpha: int) -> float:
    """c, with the 1/2^B of the proof and not the 2/2^B of the statement."""
    return (1 + 2.0**-bits) * 2.0**bits / (2.0**bits - math.sqrt(alpha))


@st.composite
def lemma_5_specs(draw: st.DrawFn) -> RunSpec:
    bits = draw(st.integers(1, 8))
    alpha = draw(st.integers(2, min(4**bits - 1, 300)))
    arms, delta = draw(st.integers(2, 50)), draw(st.floats(1e-12, 0.999))
    sigma = draw(st.floats(1e-3, 1e3))
    # δ < 4Kα²·exp(−(b−a)²/2σ²), solved for b − a
    widest = sigma * math.sqrt(2 * math.log(4 * arms * alpha**2 / delta))
    span = widest * draw(st.one_of(st.floats(0.01, 0.999), st.just(0.999)))
    assert delta < 4 * arms * alpha**2 * math.exp(-(span**2) / (2 * sigma**2))
    return icq_spec(arms=arms, delta=delta, sigma=sigma, span=span, bits=bits, alpha=alpha)


@given(spec=lemma_5_specs())
def test_lemma_5_bounds_U_by_2c_U_prime(spec: RunSpec) -> None:
    assert isinstance(spec.quantizer, Icq)
    alpha = spec.schedule.pulls_at(1)
    assert alpha is not None
    c = lemma_5_constant(spec.quantizer.bits, alpha)
    found = ratios(spec)
    assert len(found) == math.floor(12 / math.log10(alpha) + 1e-9)
    assert max(found) <= 2 * c * (1 + 1e-12)


def test_lemma_5_fails_without_its_condition_on_delta() -> None:
    # Erratum 2: U(1) = 1.125·U'(1) + 0.125·(b − a), and b − a is not small beside U'.
    spec = icq_spec(arms=5, delta=0.05, sigma=0.01, span=1.0, bits=3, alpha=2)
    assert spec.delta > 4 * 5 * 2**2 * math.exp(-(1.0**2) / (2 * 0.01**2))
    assert ratios(spec)[0] > 2 * lemma_5_constant(3, 2)
    assert ratios(spec)[-1] < 2 * lemma_5_constant(3, 2)  # U(0) is forgotten in the end


def test_lemma_5_fails_for_growth_beyond_4_to_the_B() -> None:
    # The α sweep's α = 9 at B = 1: still sound, but U/U' grows like (√α/2^B)^i.
    beyond = ratios(icq_spec(arms=5, delta=0.05, sigma=1.0, span=1.0, bits=1, alpha=9))
    assert all(after > before for before, after in pairwise(beyond))
    assert beyond[-1] > 50
    within = ratios(icq_spec(arms=5, delta=0.05, sigma=1.0, span=1.0, bits=1, alpha=3))
    assert max(within) <= 2 * lemma_5_constant(1, 3)
