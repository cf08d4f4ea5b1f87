"""The explain page's numbers are the core's."""

import pytest

from bitarm.core.quantizers import CHOICES
from bitarm.core.widths import PaperWidth
from bitarm.dashboard.explain import MOST_ROUNDS, Explanation, explain
from bitarm.errors import ConfigError


def _explained(**changed: float) -> Explanation:
    settings = {"mu_hat": 0.6, "earlier": 0.6, "index": 4, "bits": 3} | changed
    return explain(
        mu_hat=settings["mu_hat"],
        earlier=settings["earlier"],
        index=int(settings["index"]),
        bits=int(settings["bits"]),
        arms=8,
        delta=0.05,
        sigma=0.125,
        bounds=(0.0, 1.0),
        growth=settings.get("growth", 2.0),
    )


def test_u_follows_equation_4_and_u_prime_equation_1() -> None:
    width = PaperWidth(arms=8, delta=0.05, sigma=0.125)
    before = 0.5  # the midpoint prior on [0, 1]
    for step in _explained().steps:
        assert step.u_prime == width.u_prime(step.pulls, step.index)
        assert step.radius == pytest.approx(step.u_prime + 2**-3 * (step.u_prime + before))
        before = step.radius


def test_a_mean_that_stays_is_decoded_within_its_bound_in_every_round() -> None:
    explained = _explained()
    assert len(explained.steps) == MOST_ROUNDS
    for step in explained.steps:
        assert step.contained
        assert step.error <= step.error_bound * (1 + 1e-12)
        assert int(step.symbol, 2) == step.value
    assert explained.message == explained.steps[3]


def test_a_mean_that_jumps_lands_in_an_end_bin_and_breaks_the_bound() -> None:
    message = _explained(mu_hat=1.0, earlier=0.1, index=10).message
    assert not message.contained
    assert message.symbol == "111"
    assert message.error > message.error_bound


def test_every_scheme_has_its_radii() -> None:
    explained = _explained(bits=5)
    radii = {scheme.quantizer: scheme.radius for scheme in explained.schemes}
    assert set(radii) == set(CHOICES)
    assert radii["icq"] == [step.radius for step in explained.steps]
    assert radii["exact"] == pytest.approx([step.u_prime for step in explained.steps], rel=1e-5)


def test_a_round_past_the_schedules_end_is_refused() -> None:
    with pytest.raises(ConfigError, match="round 20 was asked for"):
        _explained(index=20, growth=50.0)
