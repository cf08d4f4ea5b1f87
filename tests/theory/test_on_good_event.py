import math
from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from quantizing import decode, encode

from bitarm.core.agent import Agent
from bitarm.core.bounds import Bounds
from bitarm.core.learner import Learner
from bitarm.core.messages import Answer, Request
from bitarm.core.outcome import Outcome
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Exact, FedSel, FedSelPaper, Icq, Quantizer, QuBan
from bitarm.core.schedule import ListedSchedule, Schedule, paper_schedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.errors import ConfigError
from bitarm.theory import GoodEventBound, NoBound, on_good_event
from bitarm.theory.on_good_event import radii

EVERY_QUANTIZER: list[Quantizer] = [
    Exact(),
    Icq(bits=1),
    Icq(bits=3),
    Icq(bits=2, prior="midpoint"),
    Icq(bits=2, prior="quban"),
    QuBan(epsilon_quban=0.5),
    FedSel(),
    FedSelPaper(),
]


def spec_of(
    quantizer: Quantizer,
    arms: int = 5,
    *,
    delta: float = 1e-5,
    sigma: float = 0.125,
    bounds: Bounds | None = (0.0, 1.0),
    width: str = "paper",
    schedule: Schedule | None = None,
) -> RunSpec:
    uniform = isinstance(quantizer, Icq) and quantizer.prior == "uniform"
    return RunSpec(
        arms=tuple(f"arm {j}" for j in range(arms)),
        delta=delta,
        sigma=sigma,
        bounds=bounds,
        quantizer=quantizer,
        width=width,
        schedule=schedule or paper_schedule(2),
        priors=tuple(j / arms for j in range(arms)) if uniform else (),
        seed=7,
    )


def bound_of(spec: RunSpec, means: Sequence[float]) -> GoodEventBound:
    bound = on_good_event(spec, means)
    assert isinstance(bound, GoodEventBound)
    return bound


def eliminate(spec: RunSpec, means: Sequence[float], pushes: list[float]) -> tuple[int, int, int]:
    """Rounds, samples and bits of SE on a tape with μ̂ = μ + push·U', a push in [−1, 1]."""
    quantizer = spec.quantizer
    held = {arm: spec.start(arm) for arm in range(len(means))}
    rounds = samples = bits = 0
    while len(held) > 1:
        rounds += 1
        pulls = spec.schedule.pulls_at(rounds)
        assert pulls is not None
        step = spec.occasion(rounds, pulls)
        for arm, before in held.items():
            push = pushes[(rounds * len(means) + arm) % len(pushes)]
            mu_hat = means[arm] + push * step.u_prime
            if spec.bounds is not None:  # bounded rewards have bounded means: nearer to μ, no less
                mu_hat = min(max(mu_hat, spec.bounds[0]), spec.bounds[1])
            symbol = encode(quantizer, mu_hat, before, step, dither=abs(push) * 0.99)
            held[arm] = decode(quantizer, symbol, before, step)
            samples += pulls - (spec.schedule.pulls_at(rounds - 1) or 0 if rounds > 1 else 0)
            bits += symbol.nbits
        top = max(estimate.mean - estimate.radius for estimate in held.values())
        # A last-digit allowance: Fed-SEL's means tie exactly, and the theorem is in real numbers.
        held = {
            arm: estimate
            for arm, estimate in held.items()
            if top < estimate.mean + estimate.radius - 1e-12
            or top == estimate.mean - estimate.radius
        }
    return rounds, samples, bits


@given(
    quantizer=st.sampled_from(EVERY_QUANTIZER),
    width=st.sampled_from(["paper", "lil"]),
    growth=st.sampled_from([1.5, 2.0, 3.0, 7.3]),
    delta=st.sampled_from([0.3, 1e-2, 1e-9]),
    means=st.lists(st.floats(0, 1), min_size=2, max_size=5),
    pushes=st.lists(st.sampled_from([-1.0, -0.4, 0.0, 0.7, 1.0]), min_size=1, max_size=23),
)
@settings(max_examples=400, deadline=None)
def test_no_tape_on_the_event_costs_more(
    quantizer: Quantizer,
    width: str,
    growth: float,
    delta: float,
    means: list[float],
    pushes: list[float],
) -> None:
    first, second, *_ = sorted(means, reverse=True)
    assume(first - second > 1e-3)
    spec = spec_of(quantizer, len(means), delta=delta, width=width, schedule=paper_schedule(growth))
    bound = bound_of(spec, means)
    rounds, samples, bits = eliminate(spec, means, pushes)
    assert rounds <= bound.rounds
    assert samples <= bound.samples
    assert bound.payload_bits is None or bits <= bound.payload_bits


@pytest.mark.parametrize("gap", [0.1, 0.242, 0.479, 0.716, 1.0])
def test_a_tape_on_the_edge_of_the_event_costs_exactly_that(gap: float) -> None:
    spec = spec_of(Exact(), bounds=None)
    edge = [1.0] * 4 + [-1.0]  # every arm as far from its mean, towards the others, as allowed
    bound = bound_of(spec, (0, 0, 0, 0, gap))
    assert eliminate(spec, (0, 0, 0, 0, gap), edge) == (
        bound.rounds,
        bound.samples,
        bound.payload_bits,
    )


@pytest.mark.parametrize(
    ("quantizer", "gap", "rounds", "samples", "payload_bits"),
    [
        (Exact(), 0.1, 11, 5 * 2048, 5 * 11 * 64),
        (Exact(), 1.0, 4, 5 * 16, 5 * 4 * 64),
        (Icq(bits=3), 0.1, 12, 5 * 4096, 5 * 12 * 3),
        (Icq(bits=3), 1.0, 5, 5 * 32, 5 * 5 * 3),
        (FedSel(), 1.0, 5, 5 * 32, 5 * (2 + 2 + 2 + 3 + 3)),
        (QuBan(), 0.1, 12, 5 * 4096, None),
        (Icq(bits=3, prior="quban"), 0.1, 12, 5 * 4096, None),
    ],
)
def test_hardness_family(
    quantizer: Quantizer, gap: float, rounds: int, samples: int, payload_bits: int | None
) -> None:
    assert on_good_event(spec_of(quantizer), (0, 0, 0, 0, gap)) == GoodEventBound(
        messages=(rounds,) * 5, rounds=rounds, samples=samples, payload_bits=payload_bits
    )


def test_arms_fall_one_by_one_and_the_best_one_stays_to_the_end() -> None:
    bound = bound_of(spec_of(Icq(bits=3)), (0.1, 0.9, 0.6, 0.8, 0.3))
    far, best, middle, near, _ = bound.messages
    assert far < middle < near == best == bound.rounds
    assert bound.samples == sum(2**i for i in bound.messages)
    assert bound.payload_bits == 3 * sum(bound.messages)


def test_radii_are_those_of_equation_4() -> None:
    u = 1.0  # U(0) = b − a
    steps = radii(spec_of(Icq(bits=2)))
    for i in range(1, 9):
        step, radius = next(steps)
        u_prime = 0.125 * math.sqrt(2 * math.log(4 * 5 * 4**i / 1e-5) / 2**i)
        u = u_prime + (u_prime + u) / 4
        assert (step.message, step.pulls) == (i, 2**i)
        assert radius == pytest.approx(u, rel=1e-12)


def test_the_machines_keep_to_it() -> None:
    means = (0.2, 0.8, 0.65)
    spec = spec_of(Icq(bits=2), 3)
    learner = Learner(Setup(spec=spec, policy=SuccessiveElimination()))
    agents = [Agent(learner.run, arm) for arm in range(3)]
    waiting = list(learner.start().messages)
    while waiting:
        reports: list[Answer] = []
        for message in waiting:
            agent = agents[message.arm]
            agent.receive(message)
            if isinstance(message, Request):
                reports += agent.observe(agent.wanted, agent.wanted * means[agent.arm])
        waiting = [sent for report in reports for sent in learner.receive(report).messages]
    bound = bound_of(spec, means)
    assert learner.ending is not None
    assert (learner.ending.outcome, learner.ending.best_arm) == (Outcome.DECIDED, 1)
    assert learner.rounds <= bound.rounds
    assert learner.samples <= bound.samples
    assert bound.payload_bits is not None
    assert learner.payload_bits <= bound.payload_bits


@pytest.mark.parametrize("quantizer", EVERY_QUANTIZER, ids=repr)
def test_lengths_that_are_called_fixed_are(quantizer: Quantizer) -> None:
    spec = spec_of(quantizer)
    held, step = spec.start(0), spec.occasion(1, 2)
    lengths = {encode(quantizer, mean / 20, held, step, dither=0.5).nbits for mean in range(21)}
    assert (lengths == {quantizer.least_bits(step)}) is quantizer.has_fixed_length


def test_a_tie_of_the_best_arms_never_ends() -> None:
    assert on_good_event(spec_of(Exact(), 3), (0.5, 0.2, 0.5)) is NoBound.TIE


def test_a_tie_of_other_arms_does_no_harm() -> None:
    assert isinstance(on_good_event(spec_of(Exact(), 3), (0.2, 0.2, 0.5)), GoodEventBound)


@pytest.mark.parametrize(
    ("schedule", "gap"), [(ListedSchedule(checkpoints=(10, 20)), 0.1), (paper_schedule(2), 1e-7)]
)
def test_a_grid_that_ends_too_early(schedule: Schedule, gap: float) -> None:
    assert on_good_event(spec_of(Exact(), 2, schedule=schedule), (0, gap)) is NoBound.GRID_ENDS


@pytest.mark.parametrize(
    ("means", "complaint"),
    [
        ((), "at least 2 means"),
        ((0.5,), "at least 2 means"),
        ((0.5, math.nan), "arm 1 must be a finite number"),
        ((-math.inf, 0.5), "arm 0 must be a finite number"),
        ((0.1, 0.2, 0.3), "2 arms need as many means, got 3"),
        ((0.5, 1.5), r"arm 1 \(arm 1\) must lie in \[0.0, 1.0\], got 1.5"),
    ],
)
def test_means_that_give_no_gaps_are_refused(means: tuple[float, ...], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        on_good_event(spec_of(Exact(), 2), means)


@pytest.mark.parametrize("width", ["pairwise", "pairwise-mixture"])
def test_a_width_that_judges_pairs_is_refused(width: str) -> None:
    with pytest.raises(ConfigError, match="one interval an arm"):
        on_good_event(spec_of(Exact(), 2, width=width), (0.1, 0.9))
