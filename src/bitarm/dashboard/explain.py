"""A message of ICQ taken apart: every number comes from the core, nothing is computed here."""

from dataclasses import dataclass
from typing import final

from bitarm.core.codes import Bins
from bitarm.core.quantizer import Estimate, Occasion, Quantizer
from bitarm.core.quantizers import CHOICES, Icq
from bitarm.core.schedule import paper_schedule
from bitarm.core.spec import RunSpec
from bitarm.errors import ConfigError

MOST_BITS = 8  # 256 bins are as many as an eye can tell apart
MOST_ROUNDS = 24


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainStep:
    """One message of ICQ: what is known before it, the bits, and what they leave behind."""

    index: int  # i
    pulls: int  # t_i
    u_prime: float  # U'(i, δ)
    mean_before: float  # μ̃_{i−1}
    radius_before: float  # U(i − 1)
    mu_hat: float
    low: float  # the interval L
    high: float
    bin_width: float
    contained: bool  # μ̂ lies in L
    symbol: str  # the bits
    value: int  # the bin's number
    mean: float  # μ̃_i
    error: float  # |μ̃_i − μ̂|
    error_bound: float
    radius: float  # U(i, δ)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Radii:
    """U over the rounds for one scheme."""

    quantizer: str
    radius: list[float]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A message of ICQ taken apart, and the rounds around it."""

    message: ExplainStep
    steps: list[ExplainStep]  # every round, had each mean been the earlier one
    schemes: list[Radii]


def explain(
    *,
    mu_hat: float,
    earlier: float,
    index: int,
    bits: int,
    arms: int,
    delta: float,
    sigma: float,
    bounds: tuple[float, float],
    growth: float,
) -> Explanation:
    """Message `index` carries `mu_hat`; all messages before it carried `earlier`."""
    icq = Icq(bits=bits, prior="midpoint")
    spec = _spec(icq, arms=arms, delta=delta, sigma=sigma, bounds=bounds, growth=growth)
    steps, held = [], spec.start(0)
    message = None
    for number in range(1, MOST_ROUNDS + 1):
        pulls = spec.schedule.pulls_at(number)
        if pulls is None:
            break
        occasion = spec.occasion(number, pulls)
        if number == index:
            message = _explained(icq, mu_hat, held, occasion)[0]
        explained, held = _explained(icq, earlier, held, occasion)
        steps.append(explained)
    if message is None:
        raise ConfigError(f"the schedule has {len(steps)} rounds, round {index} was asked for")
    return Explanation(
        message=message,
        steps=steps,
        schemes=[_radii(scheme, spec, len(steps)) for scheme in CHOICES.own.values()],
    )


def _spec(
    quantizer: Quantizer,
    *,
    arms: int,
    delta: float,
    sigma: float,
    bounds: tuple[float, float],
    growth: float,
) -> RunSpec:
    return RunSpec(
        arms=tuple(str(arm) for arm in range(arms)),
        delta=delta,
        sigma=sigma,
        bounds=bounds,
        quantizer=quantizer,
        width="paper",
        schedule=paper_schedule(growth),
        priors=(),
        seed=0,
    )


def _explained(
    icq: Icq, mu_hat: float, held: Estimate, occasion: Occasion
) -> tuple[ExplainStep, Estimate]:
    question = icq.question(held, occasion, 0.0)
    code = question.code
    assert isinstance(code, Bins)  # without a quban prior ICQ asks for nothing else
    high = code.low + code.step * code.bins
    symbol = question.answer(mu_hat)
    after = icq.read(symbol, question, held, occasion)
    explained = ExplainStep(
        index=occasion.index,
        pulls=occasion.pulls,
        u_prime=occasion.u_prime,
        mean_before=held.mean,
        radius_before=held.radius,
        mu_hat=mu_hat,
        low=code.low,
        high=high,
        bin_width=code.step,
        contained=code.low <= mu_hat <= high,
        symbol=str(symbol),
        value=symbol.value,
        mean=after.mean,
        error=abs(after.mean - mu_hat),
        error_bound=after.error,
        radius=after.radius,
    )
    return explained, after


def _radii(scheme: type[Quantizer], spec: RunSpec, rounds: int) -> Radii:
    """U of a scheme with its own defaults; it does not depend on the data (law 1)."""
    quantizer = spec.quantizer if scheme is Icq else scheme()
    held = quantizer.start(None, spec.bounds)
    radius = []
    for number in range(1, rounds + 1):
        pulls = spec.schedule.pulls_at(number)
        assert pulls is not None  # the grid was walked before
        occasion = spec.occasion(number, pulls)
        held = Estimate.after(occasion, mean=0.0, error=quantizer.error(held, occasion))
        radius.append(held.radius)
    return Radii(quantizer=scheme.name, radius=radius)
