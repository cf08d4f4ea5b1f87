"""RunSpec: a problem with its scheme, of which there is one spelling."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.plain import from_plain
from bitarm.core.quantizers import Exact, FedSel, FedSelPaper, Icq, Quantizer, QuBan
from bitarm.core.schedule import GeometricSchedule, ListedSchedule, Schedule, paper_schedule
from bitarm.core.spec import SPEC_FAMILIES, RunSpec
from bitarm.core.widths import LilWidth, PaperWidth
from bitarm.errors import ConfigError

SPEC = RunSpec(
    arms=("north", "süd"),
    delta=0.05,
    sigma=0.5,
    bounds=(0.0, 1.0),
    quantizer=Icq(bits=3, prior="uniform"),
    width="paper",
    schedule=paper_schedule(2),
    priors=(0.25, 0.75),
    seed=7,
)
CANONICAL = (
    '{"arms":["north","süd"],"bounds":[0.0,1.0],"delta":0.05,"priors":[0.25,0.75],'
    '"quantizer":{"bits":3,"name":"icq","prior":"uniform"},'
    '"schedule":{"first":2,"growth":2.0,"name":"geometric"},'
    '"seed":7,"sigma":0.5,"width":"paper"}'
)


def _read(text: str) -> RunSpec:
    spec: RunSpec = from_plain(RunSpec, json.loads(text), SPEC_FAMILIES)
    return spec


WITHOUT_PRIORS = replace(SPEC, quantizer=Icq(bits=3, prior="midpoint"), priors=())

QUANTIZER_SETTINGS: list[tuple[Quantizer, bool, bool]] = [
    # quantizer, whether it wants priors, whether it wants bounds
    (Exact(), False, False),
    (Icq(bits=1, prior="uniform"), True, True),
    (Icq(bits=32, prior="midpoint"), False, True),
    (Icq(bits=2, prior="quban"), False, False),
    (QuBan(epsilon_quban=0.5), False, False),
    (QuBan(epsilon_quban=2), False, False),
    (FedSel(), False, True),
    (FedSelPaper(), False, True),
]


def test_canonical_bytes_never_change() -> None:
    assert SPEC.canonical == CANONICAL.encode()


@st.composite
def specs(draw: st.DrawFn) -> RunSpec:
    quantizer, wants_priors, wants_bounds = draw(st.sampled_from(QUANTIZER_SETTINGS))
    names = st.text(st.characters(exclude_categories=["Cs"]), max_size=8).filter(str.strip)
    arms = tuple(draw(st.lists(names, min_size=2, max_size=6, unique=True)))
    a = draw(st.floats(-1e6, 1e6))
    b = a + draw(st.floats(1e-6, 1e6))
    unit = st.floats(a, b)
    schedule: Schedule = draw(
        st.builds(GeometricSchedule, growth=st.floats(1.01, 99), first=st.integers(1, 999))
        | st.builds(
            ListedSchedule,
            checkpoints=st.sets(st.integers(1, 10**12), min_size=1, max_size=5).map(
                lambda points: tuple(sorted(points))
            ),
        )
    )
    return RunSpec(
        arms=arms,
        delta=draw(st.floats(1e-12, 0.999)),
        sigma=draw(st.floats(1e-6, 1e6)),
        bounds=(a, b) if wants_bounds or draw(st.booleans()) else None,
        quantizer=quantizer,
        width=draw(st.sampled_from(["paper", "lil"])),
        schedule=schedule,
        priors=tuple(draw(unit) for _ in arms) if wants_priors else (),
        seed=draw(st.integers(0, 2**64 - 1)),
    )


@given(spec=specs())
def test_a_spec_survives_the_trip_through_its_canonical_bytes(spec: RunSpec) -> None:
    back = _read(spec.canonical.decode())
    assert back.canonical == spec.canonical
    assert back == spec
    assert hash(back) == hash(spec)
    for name in ("arms", "delta", "sigma", "bounds", "quantizer", "width", "schedule", "priors"):
        assert getattr(back, name) == getattr(spec, name)


@pytest.mark.parametrize(
    "changed",
    [
        {"arms": ("north", "south")},
        {"arms": ("süd", "north")},
        {"delta": 0.06},
        {"sigma": 0.25},
        {"bounds": (0.0, 2.0)},
        {"quantizer": Icq(bits=4)},
        {"width": "lil"},
        {"schedule": paper_schedule(3)},
        {"schedule": ListedSchedule(checkpoints=(2, 4))},
        {"priors": (0.25, 0.5)},
        {"seed": 8},
    ],
)
def test_any_difference_is_another_run(changed: dict[str, Any]) -> None:
    other = replace(SPEC, **changed)
    assert other != SPEC
    assert other.canonical != SPEC.canonical


def test_a_spec_is_not_equal_to_other_things() -> None:
    other: object = SPEC.canonical
    assert other != SPEC
    assert replace(SPEC) == SPEC


def test_an_integer_and_its_float_are_one_setting() -> None:
    def spec(number: type[int] | type[float]) -> RunSpec:
        return RunSpec(
            arms=("a", "b"),
            delta=0.1,
            sigma=number(1),
            bounds=(number(0), number(4)),
            quantizer=Icq(bits=2),
            width="paper",
            schedule=paper_schedule(number(2)),
            priors=(number(1), number(3)),
            seed=0,
        )

    assert spec(int).canonical == spec(float).canonical
    whole = replace(WITHOUT_PRIORS, quantizer=QuBan(epsilon_quban=2))
    assert whole == replace(WITHOUT_PRIORS, quantizer=QuBan(epsilon_quban=2.0))


def test_both_signs_of_zero_are_one_setting() -> None:
    assert replace(SPEC, bounds=(-0.0, 1.0)).canonical == SPEC.canonical


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"delta": 0.0}, r"delta must lie in \(0, 1\), got 0"),
        ({"delta": 1.0}, "delta"),
        ({"delta": 1}, "delta"),
        ({"delta": -0.1}, "delta"),
        ({"delta": 1.2}, r"delta must lie in \(0, 1\), got 1.2"),
        ({"delta": math.nan}, "delta"),
        ({"sigma": 0.0}, "sigma"),
        ({"sigma": -1.0}, "sigma must be a finite number above 0, got -1.0"),
        ({"sigma": math.inf}, "sigma"),
        ({"sigma": math.nan}, "sigma"),
        ({"bounds": (1.0, 0.0)}, "bounds"),
        ({"bounds": (0.5, 0.5)}, "bounds"),
        ({"bounds": (-math.inf, 1.0)}, "bounds"),
        ({"bounds": (0.0, math.inf)}, "bounds"),
        ({"bounds": (math.nan, 1.0)}, "bounds"),
        ({"bounds": (0.0, math.nan)}, "bounds"),
        ({"arms": ()}, "at least 2 arms"),
        ({"arms": ("alone",)}, "at least 2 arms .* got 1"),
        ({"arms": ("a", "b", "a")}, "'a' stands 2 times"),
        (
            {"width": "wide"},
            "width must be one of paper, lil, intervals, .* got 'wide'",
        ),
        ({"width": ""}, "width"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**64}, "seed"),
        ({"priors": (0.5,)}, "as many priors, got 1"),
        ({"priors": (0.5, 0.5, 0.5)}, "as many priors, got 3"),
        ({"priors": ()}, "uniform prior needs μ̃_0"),
        ({"priors": (0.5, 1.5)}, r"needs μ̃_0 in \[0.0, 1.0\], got 1.5"),
        ({"priors": (-0.1, 0.5)}, "needs μ̃_0"),
        ({"priors": (0.5, math.nan)}, "needs μ̃_0"),
        ({"bounds": None}, "uniform prior needs bounded rewards"),
        ({"quantizer": Icq(prior="midpoint")}, "midpoint prior takes no prior"),
        ({"quantizer": Icq(prior="quban")}, "takes no prior"),
        ({"quantizer": Exact()}, "exact takes no prior"),
        ({"quantizer": QuBan()}, "quban takes no prior"),
        ({"quantizer": FedSel()}, "fed-sel takes no prior"),
        ({"quantizer": FedSelPaper()}, "takes no prior"),
    ],
)
def test_every_bad_value_is_a_config_error(changed: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        replace(SPEC, **changed)


@pytest.mark.parametrize(
    ("quantizer", "complaint"),
    [
        (FedSel(), "needs bounded rewards"),
        (FedSelPaper(), "needs bounded rewards"),
        (Icq(prior="midpoint"), "midpoint prior needs bounded rewards"),
        (Icq(prior="uniform"), "uniform prior needs bounded rewards"),
    ],
)
def test_a_quantizer_that_needs_bounds_is_refused_without(
    quantizer: Quantizer, complaint: str
) -> None:
    with pytest.raises(ConfigError, match=complaint):
        replace(SPEC, quantizer=quantizer, bounds=None, priors=())


def test_bounds_whose_difference_is_no_float_are_refused() -> None:
    # U(0) = b − a would be infinite, and no interval of Lemma 2 could be cut into bins.
    with pytest.raises(ConfigError, match="bounds"):
        replace(WITHOUT_PRIORS, bounds=(-1e308, 1e308))


def test_the_midpoint_of_huge_bounds_lies_between_them() -> None:
    assert 1e308 <= replace(WITHOUT_PRIORS, bounds=(1e308, 1.7e308)).start(0).mean <= 1.7e308


def test_a_name_that_no_text_encoding_can_hold_is_refused() -> None:
    # What os.fsdecode makes of a byte that is no UTF-8 on the command line.
    with pytest.raises(ConfigError, match="arm"):
        replace(SPEC, arms=("a", "\udcff"))


@pytest.mark.parametrize(
    "text",
    [
        "null",
        "[]",
        "7",
        CANONICAL.replace('"seed":7,', ""),
        CANONICAL.replace('"seed":7', '"seed":7.0'),
        CANONICAL.replace('"seed":7', '"seed":7,"extra":1'),
        CANONICAL.replace('"seed":7', '"seed":-7'),
        CANONICAL.replace('"delta":0.05', '"delta":NaN'),
        CANONICAL.replace('"delta":0.05', '"delta":1'),
        CANONICAL.replace('"icq"', '"icecream"'),
        CANONICAL.replace('"icq"', '["icq"]'),
        CANONICAL.replace('"bits":3', '"bits":33'),
        CANONICAL.replace('"bits":3', '"bits":true'),
        CANONICAL.replace('"uniform"', '"best"'),
        CANONICAL.replace('"growth":2.0', '"growth":1.0'),
        CANONICAL.replace('"geometric"', '"listed"'),
        CANONICAL.replace("[0.0,1.0]", "[0.0]"),
        CANONICAL.replace('"paper"', '"papre"'),
    ],
)
def test_what_is_no_spec_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        _read(text)


def test_start_takes_each_arms_own_prior() -> None:
    assert [SPEC.start(arm).mean for arm in (0, 1)] == [0.25, 0.75]
    assert [WITHOUT_PRIORS.start(arm).mean for arm in (0, 1)] == [0.5, 0.5]


@pytest.mark.parametrize(("name", "cls"), [("paper", PaperWidth), ("lil", LilWidth)])
def test_a_step_holds_what_both_ends_know(
    name: str, cls: type[PaperWidth] | type[LilWidth]
) -> None:
    spec = replace(SPEC, width=name)
    width = cls(arms=2, delta=0.05, sigma=0.5)
    for message, pulls, index in [(1, 2, 1), (2, 4, 2), (2, 5, 2), (3, 1024, 10), (1, 1, 0)]:
        step = spec.occasion(message, pulls)
        assert (step.message, step.pulls, step.index) == (message, pulls, index)
        assert step.u_prime == width.u_prime(pulls, index)
        assert (step.sigma, step.bounds) == (0.5, (0.0, 1.0))
        assert spec.occasion(message, pulls) == step


def test_steps_stay_right_when_the_kept_ones_are_thrown_away() -> None:
    spec = replace(SPEC)
    first = spec.occasion(1, 2)
    for message in range(1, 5001):
        assert spec.occasion(message, 2 * message).message == message
    assert spec.occasion(1, 2) == first


def test_labels_name_arm_and_index() -> None:
    assert [SPEC.label(arm) for arm in (0, 1)] == ["north (arm 0)", "süd (arm 1)"]


def test_the_fields_of_the_canonical_bytes_are_those_of_the_constructor() -> None:
    assert set(json.loads(SPEC.canonical)) == {
        "arms",
        "delta",
        "sigma",
        "bounds",
        "quantizer",
        "width",
        "schedule",
        "priors",
        "seed",
    }
