"""The paper's closed forms: Theorem 1 (unquantized) and Theorem 6 (ICQ), errata corrected.

Corrected: √(4K/δ) in the logarithm, "+ α" at its end, the best arm in the sums, a maximum for the
rounds, and the c of the proofs. `docs/paper.md` derives them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, final

from bitarm.core.quantizers import Exact, Icq
from bitarm.core.schedule import GeometricSchedule
from bitarm.core.spec import RunSpec
from bitarm.core.widths import PaperWidth
from bitarm.theory.gaps import NoBound, check_means_of, gaps_of
from bitarm.theory.on_good_event import radii


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One assumption of a theorem, and whether these settings meet it."""

    name: str
    holds: bool
    text: str


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedForm:
    """Upper bounds for `se`, with probability at least 1 − δ if `proven`.

    Then they are never below those of `on_good_event`. Otherwise they are what the formula says,
    and infinite where it has no value.
    """

    theorem: Literal["Theorem 1", "Theorem 6"]
    conditions: tuple[Condition, ...]  # the paper's
    proven: bool  # needs less than the paper's conditions, see `_is_proven`
    arm_samples: tuple[float, ...]  # the best arm at the smallest gap
    rounds: float
    samples: float
    payload_bits: float | None  # None where the first message has no fixed length


def closed_form(spec: RunSpec, means: Sequence[float]) -> ClosedForm | NoBound:
    """Theorem 1 for the quantizer exact, Theorem 6 for icq, on a geometric schedule.

    Arm j: (102·α·σ²/Δ_j²)·ln(64σ²√(4K/δ)/Δ_j²) + α samples in Theorem 1, and
    (410·α·c²σ²/Δ_j²)·ln(256c²σ²√(4K/δ)/Δ_j²) + α in Theorem 6; log_α of that is its messages.
    """
    check_means_of(spec, means)
    quantizer, schedule = spec.quantizer, spec.schedule
    if not isinstance(quantizer, Exact | Icq) or not isinstance(schedule, GeometricSchedule):
        return NoBound.NO_THEOREM
    gaps = gaps_of(means)
    if min(gaps) == 0:
        return NoBound.TIE
    alpha = schedule.growth
    if isinstance(quantizer, Exact):
        factor, inner, scale = 102, 64, spec.sigma
    else:
        factor, inner, scale = 410, 256, inflation(quantizer.bits, alpha) * spec.sigma
    logs = [_log_term(inner, scale, gap, spec) for gap in gaps]
    pulls = tuple(
        factor * alpha * (scale / gap) * (scale / gap) * max(0.0, log) + alpha
        for gap, log in zip(gaps, logs, strict=True)
    )
    messages = [math.log(t) / math.log(alpha) for t in pulls]
    conditions = (*_conditions(spec, schedule, quantizer), _small_gaps(logs))
    return ClosedForm(
        theorem="Theorem 1" if isinstance(quantizer, Exact) else "Theorem 6",
        conditions=conditions,
        proven=_is_proven(spec, alpha, quantizer, conditions),
        arm_samples=pulls,
        rounds=max(messages),
        samples=math.fsum(pulls),
        payload_bits=_payload_bits(spec, messages),
    )


def inflation(bits: int, growth: float) -> float:
    """c = (1 + 2^{−B})·2^B/(2^B − √α), for which U ≤ 2c·U' (Lemma 5); infinite from α = 4^B on.

    Departure from the statement of Lemma 5, which prints 2/2^B where its proof has 1/2^B.
    """
    room = 2.0**bits - math.sqrt(growth)
    return (2.0**bits + 1) / room if room > 0 else math.inf


def _log_term(inner: int, scale: float, gap: float, spec: RunSpec) -> float:
    """ln(inner·scale²·√(4K/δ)/Δ²), as a sum of logarithms that neither over- nor underflows."""
    return (
        math.log(inner)
        + 2 * (math.log(scale) - math.log(gap))
        + math.log(4 * len(spec.arms) / spec.delta) / 2
    )


def _payload_bits(spec: RunSpec, messages: list[float]) -> float | None:
    """B·Σ_j log_α(…); every message of these two schemes is as long as the first."""
    if not spec.quantizer.has_fixed_length:
        return None
    occasion, _ = next(radii(spec))
    return spec.quantizer.least_bits(occasion) * math.fsum(messages)


def _conditions(
    spec: RunSpec, schedule: GeometricSchedule, quantizer: Exact | Icq
) -> list[Condition]:
    alpha = schedule.growth
    conditions = [
        Condition(
            name="paper_width",
            holds=spec.width == PaperWidth.name,
            text="the width is the paper's U' of Eq. (1)",
        ),
        Condition(
            name="integer_growth",
            holds=alpha.is_integer() and schedule.first == alpha,
            text="α is an integer and t_1 = α, so that t_i = α^i",
        ),
    ]
    if isinstance(quantizer, Icq):
        conditions += [
            Condition(name="sparsity", holds=alpha < 4.0**quantizer.bits, text="α < 4^B"),
            _small_delta(spec, alpha, quantizer),
        ]
    return conditions


def _small_delta(spec: RunSpec, alpha: float, quantizer: Icq) -> Condition:
    """Lemma 5's condition on δ; without bounds there is no U(0) to outgrow."""
    if quantizer.prior == "quban":
        text = "no condition on δ: the first radius is 2·U'(1) (Remark 2)"
        return Condition(name="small_delta", holds=True, text=text)
    start = spec.start(0).radius / spec.sigma  # U(0)/σ
    return Condition(
        name="small_delta",
        holds=start * start / 2 < math.log(4 * len(spec.arms) / spec.delta) + 2 * math.log(alpha),
        text="δ < 4Kα²·exp(−U(0)²/2σ²), where U(0) = b − a for a uniform prior (Lemma 5)",
    )


def _small_gaps(logs: list[float]) -> Condition:
    return Condition(
        name="small_gaps",
        holds=min(logs) > 1,
        text="the argument of the logarithm exceeds e for every arm, as Lambert's W₋₁ needs",
    )


def _is_proven(
    spec: RunSpec, alpha: float, quantizer: Exact | Icq, conditions: tuple[Condition, ...]
) -> bool:
    """What the bounds really need: the paper's conditions, less two that are too strong.

    Large gaps do no harm: where the logarithm is at most 1, 4·U ≤ Δ holds at every t and the arm
    falls in round 1, for which its "+ α" pays. And U(1) ≤ 2c·U'(1), which the condition on δ
    implies, is all that the induction of Lemma 5 starts from.
    """
    needed = ("paper_width", "integer_growth", "sparsity")
    if not all(condition.holds for condition in conditions if condition.name in needed):
        return False
    if isinstance(quantizer, Exact):
        return True
    occasion, radius = next(radii(spec))
    return radius <= 2 * inflation(quantizer.bits, alpha) * occasion.u_prime
