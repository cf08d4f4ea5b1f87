"""The settings in which every quantizer is held to its laws, and what rounding is allowed."""

import math
from typing import get_args

import pytest
from contracts.moments import Case, Moment
from hypothesis import settings

from bitarm.core.quantizer import Quantizer
from bitarm.core.quantizers import (
    BudgetedDicq,
    Dicq,
    Dyadic,
    Exact,
    FedSel,
    FedSelPaper,
    Icq,
    QuBan,
)
from bitarm.core.quantizers.icq import Prior

ROUNDING = 2.0**-48


def icq(bits: int, prior: str) -> Case:
    quantizer = Icq(bits=bits, prior=prior)  # type: ignore[arg-type]
    return Case(
        quantizer=quantizer,
        bounded=prior != "quban",
        unbounded=prior == "quban",
        takes_prior=prior == "uniform",
    )


def free(quantizer: Quantizer) -> Case:
    return Case(quantizer=quantizer, bounded=False, unbounded=True)


SETTINGS: dict[str, list[Case]] = {
    "exact": [free(Exact())],
    "icq": [
        *(icq(bits, prior) for bits in (1, 3) for prior in get_args(Prior)),
        *(icq(bits, "uniform") for bits in (2, 8, 32)),
    ],
    "quban": [free(QuBan(epsilon_quban=epsilon)) for epsilon in (0.01, 0.5, 2.0, 7.0)],
    "fed-sel": [Case(quantizer=FedSel(), bounded=True, unbounded=False)],
    "fed-sel-paper": [Case(quantizer=FedSelPaper(), bounded=True, unbounded=False)],
    "dicq-budget": [
        Case(quantizer=budgeted, bounded=False, unbounded=True, takes_prior=True)
        for budgeted in (
            BudgetedDicq(allowances=(1,) * 6, reaches=(1.0,) * 6),
            BudgetedDicq(allowances=(9, 2, 3, 1, 12, 32), reaches=(7.0, 3.0, 1.0, 0.1, 2.0, 30.0)),
        )
    ],
    "dicq": [free(Dicq(kappa=kappa, kappa_first=4.0)) for kappa in (0.05, 1.0, 2.5, 9.0)],
    "dyadic": [free(Dyadic()), free(Dyadic(kappa=0.05, kappa_cut=4.0, kappa_place=9.0))],
}
some = settings(max_examples=20)  # of each law, for each of the cases
every_case = pytest.mark.parametrize(
    "case", [case for cases in SETTINGS.values() for case in cases], ids=str
)


def slack(moment: Moment, mu_hat: float) -> float:
    known = moment.held.radius if math.isfinite(moment.held.radius) else 0.0
    held, u_prime = moment.held, moment.occasion.u_prime
    size = max(abs(mu_hat), abs(held.mean), known, u_prime, abs(moment.low), abs(moment.high))
    return ROUNDING * size


def around(moment: Moment) -> list[float]:
    """Means at the hint and next to it, as far as the rewards allow."""
    if moment.occasion.hint is None:
        return []
    value = min(max(moment.occasion.hint.value, moment.low), moment.high)
    return [
        min(max(mean, moment.low), moment.high)
        for mean in (math.nextafter(value, -math.inf), value, math.nextafter(value, math.inf))
    ]
