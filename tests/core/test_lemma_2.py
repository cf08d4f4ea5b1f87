"""Lemma 2 of the paper, as a property of the code that runs.

A tape is a sequence of empirical means. It is admissible if |μ̂_i − μ| ≤ U'(i) at every checkpoint;
an adversary chooses it. Widths and radii are computed here a second time, from the paper's text.

Numbers are floats: a bound may be missed by `ROUNDING` of the largest number in play, not more.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from quantizing import decode, encode
from scipy import optimize, special

from bitarm.core.bounds import Bounds
from bitarm.core.quantizer import Estimate, Occasion, Quantizer
from bitarm.core.quantizers import (
    QUANTIZERS,
    BudgetedDicq,
    Dicq,
    Dyadic,
    Exact,
    FedSel,
    FedSelPaper,
    Icq,
    QuBan,
)
from bitarm.core.quantizers.dyadic import dyadic
from bitarm.core.widths import WIDTHS

pytestmark = pytest.mark.slow

ROUNDING = 2.0**-48

# --- The widths and radii of the paper, written down once more


def u_prime_paper(t: int, arms: int, delta: float, sigma: float) -> float:
    """Eq. (1)."""
    return sigma * math.sqrt(2 * math.log(4 * arms * t * t / delta) / t)


def u_prime_lil(t: int, arms: int, delta: float, sigma: float) -> float:
    """The lil width of the notes; N = 1 takes the iterated logarithm of N = 2."""
    eps = 0.01
    c_eps = (2 + eps) / eps * (1 / math.log(1 + eps)) ** (1 + eps)
    omega = (delta / (2 * arms * c_eps)) ** (1 / (1 + eps))
    iterated = math.log(math.log((1 + eps) * max(t, 2)) / omega)
    return (1 + math.sqrt(eps)) * math.sqrt(2 * sigma**2 * (1 + eps) * iterated / t)


def u_prime_intervals(t: int, arms: int, delta: float, sigma: float) -> float:
    """Where a mixture over rates, half-normal with ρ = 0.3, reaches 2K/δ; another root finder."""

    def log_mixture(z: float) -> float:
        share = t / (t + 0.3)
        return (math.log(0.3 / (t + 0.3)) + z * z * share) / 2 + math.log(
            2 * float(special.ndtr(z * math.sqrt(share)))
        )

    level = math.log(2 * arms / delta)
    z = optimize.brentq(lambda z: log_mixture(z) - level, 0, 100, xtol=1e-16, rtol=1e-15)
    return max(float(z), 2.0) * sigma / math.sqrt(t)


def v_n(t: int, n: int, arms: int, delta: float, sigma: float) -> float:
    return sigma * math.sqrt(2 * math.log(2 * arms * n * (n + 1) / delta) / t)


U_PRIME: dict[str, Callable[[int, int, int, float, float], float]] = {
    "paper": lambda t, n, *rest: u_prime_paper(t, *rest),
    "lil": lambda t, n, *rest: u_prime_lil(t, *rest),
    "intervals": lambda t, n, *rest: u_prime_intervals(t, *rest),
    "pairwise": v_n,
    "pairwise-mixture": v_n,
    "sub-gaussian": v_n,
}


def radii(tape: "Tape") -> list[float]:
    """U(1), U(2), …: Eq. (4) in closed form for ICQ, as in the proof of Lemma 5."""
    quantizer, u_primes, bounds = tape.quantizer, tape.u_primes(), tape.bounds
    match quantizer:
        case Dicq():
            kappas = [quantizer.kappa_first] + [quantizer.kappa] * (len(tape.grid) - 1)
            halves = [
                kappa * tape.sigma / math.sqrt(t) / 2
                for kappa, t in zip(kappas, tape.grid, strict=True)
            ]
            return [u + half * (1 + 2.0**-14) for u, half in zip(u_primes, halves, strict=True)]
        case Dyadic():
            kappas = [quantizer.kappa_first] + [quantizer.kappa] * (len(tape.grid) - 1)
            widest = dyadic((bounds[1] - bounds[0]) / 2)
            steps = [
                min(dyadic(kappa * tape.sigma / math.sqrt(t)), widest)
                for kappa, t in zip(kappas, tape.grid, strict=True)
            ]
            return [u + s / 2 * (1 + 2.0**-14) for u, s in zip(u_primes, steps, strict=True)]
        case BudgetedDicq():
            return saturating(quantizer, u_primes)
        case Exact():
            return [
                u + 2.0**-20 * tape.sigma / math.sqrt(t)
                for u, t in zip(u_primes, tape.grid, strict=True)
            ]
        case QuBan():
            return [(1 + quantizer.epsilon_quban / 2) * u for u in u_primes]
        case FedSel():
            return [1.5 * u for u in u_primes]
        case FedSelPaper():
            return [2 * u for u in u_primes]
        case Icq(prior="uniform"):
            return eq_4(quantizer.bits, bounds[1] - bounds[0], u_primes)
        case Icq(prior="midpoint"):
            return eq_4(quantizer.bits, (bounds[1] - bounds[0]) / 2, u_primes)
        case Icq():
            start = 2 * u_primes[0]  # Remark 2
            return [start, *eq_4(quantizer.bits, start, u_primes[1:])]
    raise AssertionError(f"no radius is known for {quantizer}: add it")


def saturating(quantizer: BudgetedDicq, u_primes: Sequence[float]) -> list[float]:
    """U(i) = U'(i) + half a cell + what of U'(i) + U(i − 1) lies beyond the reach."""
    found = [quantizer.reaches[0]]
    for u, reach, bits in zip(u_primes, quantizer.reaches, quantizer.allowances, strict=False):
        found.append(u + reach / 2**bits + max(0.0, u + found[-1] - reach))
    return found[1:]


def eq_4(bits: int, start: float, u_primes: Sequence[float]) -> list[float]:
    """U(i) = (1 + 2^−B)·Σ_j 2^{−B(i−j)}·U'(j) + 2^{−Bi}·U(0)."""
    q = 2.0**-bits
    return [
        (1 + q) * sum(q ** (i - j) * u_primes[j - 1] for j in range(1, i + 1)) + q**i * start
        for i in range(1, len(u_primes) + 1)
    ]


# --- Problems, tapes, and a run of the real quantizer over a tape


@dataclass(frozen=True, kw_only=True)
class Tape:
    """A problem, a quantizer and what the adversary does to one arm."""

    quantizer: Quantizer
    width: str
    arms: int
    delta: float
    sigma: float
    bounds: Bounds
    mu: float
    prior: float | None
    grid: tuple[int, ...]
    offs: tuple[float, ...]  # (μ̂_i − μ)/U'(i), each in [−1, 1]
    dithers: tuple[float, ...]

    def u_primes(self) -> list[float]:
        formula = U_PRIME[self.width]
        # a width for pairs keeps half of δ for the intervals, where they can fail
        halved = self.width not in ("paper", "lil", "intervals") and not self.quantizer.certain
        delta = self.delta / 2 if halved else self.delta
        return [
            formula(t, n, self.arms, delta, self.sigma) for n, t in enumerate(self.grid, start=1)
        ]


units = st.floats(0, 1)
offsets = st.one_of(st.sampled_from([-1.0, 1.0]), st.floats(-1, 1))
grids = st.one_of(
    st.builds(
        lambda alpha, n: tuple(t for i in range(1, n + 1) if (t := alpha**i) <= 10**12),
        st.integers(2, 9),
        st.integers(1, 12),
    ),
    st.sets(st.one_of(st.integers(1, 40), st.integers(1, 10**12)), min_size=1, max_size=12).map(
        lambda points: tuple(sorted(points))
    ),
)

FAMILIES: dict[str, st.SearchStrategy[Quantizer]] = {
    "icq-uniform": st.builds(Icq, bits=st.integers(1, 32), prior=st.just("uniform")),
    "icq-midpoint": st.builds(Icq, bits=st.integers(1, 32), prior=st.just("midpoint")),
    "icq-quban": st.builds(Icq, bits=st.integers(1, 32), prior=st.just("quban")),
    "exact": st.just(Exact()),
    "quban": st.builds(QuBan, epsilon_quban=st.floats(0.05, 8)),
    "fed-sel": st.just(FedSel()),
    "fed-sel-paper": st.just(FedSelPaper()),
    "dicq-budget": st.builds(
        lambda plan: BudgetedDicq(
            allowances=tuple(bits for bits, _ in plan), reaches=tuple(reach for _, reach in plan)
        ),
        st.lists(st.tuples(st.integers(1, 32), st.floats(0.01, 60)), min_size=12, max_size=12),
    ),
    "dyadic": st.builds(Dyadic, kappa=st.floats(0.1, 8), kappa_first=st.floats(0.1, 8)),
    "dicq": st.builds(Dicq, kappa=st.floats(0.1, 8), kappa_first=st.floats(0.1, 8)),
}


@st.composite
def tapes(draw: st.DrawFn, quantizers: st.SearchStrategy[Quantizer]) -> Tape:
    quantizer, grid = draw(quantizers), draw(grids)
    n = len(grid)
    a = draw(st.floats(-50, 50))
    b = a + draw(st.floats(0.01, 50))
    mu = min(a + draw(units) * (b - a), b)
    prior = None
    if isinstance(quantizer, Icq) and quantizer.prior == "uniform":
        prior = min(a + draw(units) * (b - a), b)
    if isinstance(quantizer, BudgetedDicq):  # its first reach stands for what may be
        prior = mu + (2 * draw(units) - 1) * quantizer.reaches[0]
    return Tape(
        quantizer=quantizer,
        width=draw(st.sampled_from(sorted(U_PRIME))),
        arms=draw(st.integers(2, 100)),
        delta=draw(st.floats(1e-9, 0.9)),
        sigma=draw(st.floats(0.01, 10)),
        bounds=(a, b),
        mu=mu,
        prior=prior,
        grid=grid,
        offs=tuple(draw(st.lists(offsets, min_size=n, max_size=n))),
        dithers=tuple(draw(st.lists(st.floats(0, 0.999), min_size=n, max_size=n))),
    )


Change = Callable[[Estimate, Occasion], Estimate]


def unchanged(decoded: Estimate, step: Occasion) -> Estimate:
    return decoded


def follow(tape: Tape, change: Change = unchanged, u_scale: float = 1.0) -> list[Estimate]:
    """Both ends over the tape: what they hold after each message.

    `change` spoils the estimate that a message leaves behind; `u_scale` spoils the U' that encoder
    and decoder use, while the tape keeps the true one.
    """
    width = WIDTHS[tape.width](
        arms=tape.arms,
        delta=tape.delta,
        sigma=tape.sigma,
        certain=tape.quantizer.certain,
        bounds=tape.bounds,
    )
    a, b = tape.bounds
    held = tape.quantizer.start(tape.prior, tape.bounds)
    history = []
    for n, (t, off, dither) in enumerate(zip(tape.grid, tape.offs, tape.dithers, strict=True), 1):
        true_width = width.u_prime(t, n)
        mu_hat = tape.mu + off * true_width
        if tape.quantizer.name.startswith("fed-sel"):
            mu_hat = min(max(mu_hat, a), b)  # rewards within the bounds: still admissible
        step = Occasion(
            message=n,
            pulls=t,
            index=n,
            u_prime=u_scale * true_width,
            sigma=u_scale * tape.sigma,
            bounds=tape.bounds,
        )
        symbol = encode(tape.quantizer, mu_hat, held, step, dither)
        held = change(decode(tape.quantizer, symbol, held, step), step)
        history.append(held)
    return history


def slack(tape: Tape) -> float:
    return ROUNDING * max(abs(tape.bounds[0]), abs(tape.bounds[1]), tape.u_primes()[0])


def violated(tape: Tape, history: Sequence[Estimate]) -> bool:
    """Whether some |μ̃_i − μ| exceeds U(i)."""
    return any(abs(held.mean - tape.mu) > held.radius + slack(tape) for held in history)


# --- Lemma 2


def test_the_lemmas_are_shown_for_every_quantizer_and_width() -> None:
    # Every name in QUANTIZERS begins the name of a family here.
    assert {family.removesuffix("-uniform") for family in FAMILIES} - {
        "icq-midpoint",
        "icq-quban",
    } == set(QUANTIZERS)
    assert set(U_PRIME) == set(WIDTHS) - {"bounded"}  # agents decide by bets, not by told means


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=150)
@given(data=st.data())
def test_lemma_2_holds_on_every_admissible_tape(family: str, data: st.DataObject) -> None:
    tape = data.draw(tapes(FAMILIES[family]))
    history = follow(tape)
    for i, held in enumerate(history, start=1):
        assert abs(held.mean - tape.mu) <= held.radius + slack(tape), f"at checkpoint {i}"


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=60)
@given(data=st.data())
def test_the_radius_is_the_closed_form_of_equation_4(family: str, data: st.DataObject) -> None:
    tape = data.draw(tapes(FAMILIES[family]))
    expected = radii(tape)
    assert [held.radius for held in follow(tape)] == pytest.approx(expected, rel=1e-8)


def tape_of(quantizer: Quantizer, offs: Sequence[float], mu: float = 0.4) -> Tape:
    uniform = isinstance(quantizer, Icq) and quantizer.prior == "uniform"
    return Tape(
        quantizer=quantizer,
        width="paper",
        arms=5,
        delta=0.05,
        sigma=0.5,
        bounds=(0.0, 1.0),
        mu=mu,
        prior=0.0 if uniform else None,
        grid=tuple(2**i for i in range(1, len(offs) + 1)),
        offs=tuple(offs),
        dithers=(0.5,) * len(offs),
    )


@pytest.mark.parametrize("bits", [1, 2, 3])
@pytest.mark.parametrize("prior", ["uniform", "midpoint", "quban"])
def test_a_greedy_adversary_comes_close_to_the_radius_of_icq_and_never_passes(
    bits: int, prior: str
) -> None:
    # Lemma 2 is not vacuous: U(i) is nearly reached, so no smaller radius would do.
    quantizer = Icq(bits=bits, prior=prior)  # type: ignore[arg-type]
    closest = 0.0
    for mu in (0.0, 0.37, 1.0):
        offs: list[float] = []
        for _ in range(14):
            choices = [[*offs, off / 50] for off in range(-50, 51)]
            missed = [
                abs(follow(tape_of(quantizer, choice, mu))[-1].mean - mu) for choice in choices
            ]
            offs = choices[missed.index(max(missed))]
            held = follow(tape_of(quantizer, offs, mu))[-1]
            assert max(missed) <= held.radius * (1 + ROUNDING)
            closest = max(closest, max(missed) / held.radius)
    assert closest > 0.85


def without_error(decoded: Estimate, step: Occasion) -> Estimate:
    """The mistake of taking U' for U: the radius forgets the quantizer."""
    return replace(decoded, error=0.0, radius=step.u_prime)


def with_half_the_error(decoded: Estimate, step: Occasion) -> Estimate:
    """The mistake of a factor 2 in Eq. (4): 2^{−B−1} for 2^{−B}."""
    return replace(decoded, error=decoded.error / 2, radius=step.u_prime + decoded.error / 2)


SEARCH = settings(max_examples=3000, phases=[Phase.generate])  # any example will do: no shrinking

few_bits = [
    st.builds(Icq, bits=st.integers(1, 3), prior=st.just(prior))
    for prior in ("uniform", "midpoint", "quban")
]
SPOILT: list[tuple[str, st.SearchStrategy[Quantizer], Change, float]] = [
    *((f"icq without error {k}", few_bits[k], without_error, 1.0) for k in range(3)),
    *((f"icq with half the error {k}", few_bits[k], with_half_the_error, 1.0) for k in range(3)),
    *((f"icq with half of U' {k}", few_bits[k], unchanged, 0.5) for k in range(3)),
    ("quban without error", FAMILIES["quban"], without_error, 1.0),
    ("fed-sel without error", FAMILIES["fed-sel"], without_error, 1.0),
    ("fed-sel-paper without error", FAMILIES["fed-sel-paper"], without_error, 1.0),
    ("exact with half of U'", FAMILIES["exact"], unchanged, 0.5),
]


@pytest.mark.parametrize(
    ("quantizers", "change", "u_scale"),
    [case[1:] for case in SPOILT],
    ids=[case[0] for case in SPOILT],
)
def test_the_same_search_finds_what_breaks_a_spoilt_recursion(
    quantizers: st.SearchStrategy[Quantizer], change: Change, u_scale: float
) -> None:
    # The negative control of Lemma 2: an error in the recursion would be seen.
    def breaks(tape: Tape) -> bool:
        return violated(tape, follow(tape, change, u_scale))

    tape = find(tapes(quantizers), breaks, settings=SEARCH)
    assert breaks(tape)
    assert not violated(tape, follow(tape))
