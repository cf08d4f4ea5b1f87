"""Any moment of a run at which a quantizer is asked for a question.

A held estimate is always one that a run can reach: the quantizer itself makes it from `start`, by
messages with means as wild as the rewards allow.
"""

from dataclasses import dataclass

from hypothesis import strategies as st
from quantizing import decode, encode

from bitarm.core.bounds import Bounds
from bitarm.core.hint import Hint, HintKind
from bitarm.core.quantizer import Estimate, Occasion, Quantizer
from bitarm.core.widths import WIDTHS

JUST_BELOW_1 = 1 - 2.0**-53


@dataclass(frozen=True, kw_only=True)
class Case:
    """A quantizer and the problems that it is made for."""

    quantizer: Quantizer
    bounded: bool  # it needs bounds
    unbounded: bool  # it works without
    takes_prior: bool = False

    def __str__(self) -> str:
        return str(self.quantizer)


@dataclass(frozen=True, kw_only=True)
class Moment:
    """An occasion in a run, and what both ends hold before it."""

    held: Estimate
    occasion: Occasion
    low: float  # means lie between these: the bounds, or some 10^4 σ
    high: float

    def mean(self, fraction: float) -> float:
        return min(max(self.low + fraction * (self.high - self.low), self.low), self.high)


fractions = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1.0, 0.5]))
dithers = st.one_of(st.floats(0, 1, exclude_max=True), st.sampled_from([0.0, 0.5, JUST_BELOW_1]))


@st.composite
def hints(draw: st.DrawFn, low: float, high: float) -> Hint | None:
    """What a learner may tell, sensible or not."""
    within = st.floats(low, high)
    return draw(
        st.none()
        | st.builds(
            Hint,
            kind=st.sampled_from(HintKind),
            value=within | st.floats(allow_nan=False, allow_infinity=False),
        )
    )


@st.composite
def moments(draw: st.DrawFn, case: Case, *, hinted: bool | None = None) -> Moment:
    """Any moment; with hints, before it and now, if the quantizer takes them or the test says."""
    hinted = case.quantizer.hinted if hinted is None else hinted
    arms, delta = draw(st.integers(2, 50)), draw(st.floats(1e-9, 0.9))
    sigma = draw(st.floats(1e-3, 1e3))
    bounds: Bounds | None = None
    low = sigma * draw(st.floats(-1e4, 1e4))
    high = low + sigma * draw(st.floats(1e-2, 1e4))
    width = WIDTHS[draw(st.sampled_from(sorted(WIDTHS)))](
        arms=arms,
        delta=delta,
        sigma=sigma,
        certain=case.quantizer.certain,
        bounds=(low, high),
    )
    if case.bounded or draw(st.booleans()):
        bounds = (low, high)
    grid = sorted(
        draw(st.sets(st.one_of(st.integers(1, 99), st.integers(1, 10**9)), min_size=1, max_size=6))
    )
    prior = low + draw(fractions) * (high - low) if case.takes_prior else None
    held = case.quantizer.start(None if prior is None else min(prior, high), bounds)
    occasion = None
    for n, pulls in enumerate(grid, start=1):
        if occasion is not None:
            fraction = draw(fractions)
            mu_hat = min(max(low + fraction * (high - low), low), high)
            symbol = encode(case.quantizer, mu_hat, held, occasion, draw(dithers))
            held = decode(case.quantizer, symbol, held, occasion)
        occasion = Occasion(
            message=n,
            pulls=pulls,
            index=n,
            u_prime=width.u_prime(pulls, n),
            sigma=sigma,
            bounds=bounds,
            hint=draw(hints(low, high)) if hinted else None,
        )
    assert occasion is not None
    return Moment(held=held, occasion=occasion, low=low, high=high)
