"""Arms in one line: what is written is what is built, and what is not understood is said."""

from typing import Any

import pytest

from bitarm.errors import ConfigError
from bitarm.sim.models import (
    Bernoulli,
    Beta,
    Exponential,
    Gaussian,
    Poisson,
    RewardModel,
    parse_models,
)


@pytest.mark.parametrize(
    ("text", "parameters", "models"),
    [
        ("bernoulli:0.7,0.5", {}, (Bernoulli(mean=0.7), Bernoulli(mean=0.5))),
        ("gaussian:-1,2e3", {"sd": 0.5}, (Gaussian(mean=-1, sd=0.5), Gaussian(mean=2e3, sd=0.5))),
        ("beta:0.2,0.4", {}, (Beta(mean=0.2), Beta(mean=0.4))),
        (
            "beta:0.2,0.4",
            {"concentration": 3.0},
            (Beta(mean=0.2, concentration=3.0), Beta(mean=0.4, concentration=3.0)),
        ),
        ("poisson:1,2", {}, (Poisson(mean=1), Poisson(mean=2))),
        ("exponential:1,2", {}, (Exponential(mean=1), Exponential(mean=2))),
    ],
)
def test_a_line_of_means_becomes_models_in_its_order(
    text: str, parameters: dict[str, Any], models: tuple[RewardModel, ...]
) -> None:
    assert parse_models(text, parameters) == models


@pytest.mark.parametrize(
    ("text", "parameters", "message"),
    [
        ("cauchy:1,2", {}, "must be one of gaussian, bernoulli, .*got 'cauchy'"),
        ("bernouli:0.1,0.2", {}, "did you mean bernoulli"),
        ("", {}, "the family of arms must be one of"),
        ("0.1,0.2", {}, "the family of arms must be one of"),
        ("bernoulli", {}, "arms are written as bernoulli:0.7,0.5"),
        ("bernoulli:", {}, "arms are written as bernoulli:0.7,0.5"),
        ("bernoulli:a,0.5", {}, "the means of arms must be numbers, got 'a,0.5'"),
        ("bernoulli:0.5,", {}, "the means of arms must be numbers, got '0.5,'"),
        ("bernoulli:1.2,0.5", {}, r"Bernoulli arm must lie in \[0, 1\], got 1.2"),
        ("bernoulli:-0.1,0.5", {}, r"Bernoulli arm must lie in \[0, 1\], got -0.1"),
        ("bernoulli:nan,0.5", {}, r"Bernoulli arm must lie in \[0, 1\], got nan"),
        ("beta:0,0.5", {}, r"Beta arm must lie in \(0, 1\), got 0"),
        ("beta:0.1,0.5", {"concentration": 0.0}, "concentration must be .* above 0, got 0"),
        ("gaussian:0,inf", {"sd": 1.0}, "mean must be a finite number, got inf"),
        ("gaussian:0,1", {"sd": 0.0}, "sd must be a finite number above 0, got 0"),
        ("gaussian:0,1", {"sd": -1.0}, "sd must be a finite number above 0, got -1"),
        ("poisson:0,1", {}, "Poisson arm must be a number above 0, got 0"),
        ("exponential:-1,1", {}, "exponential arm must be a number above 0, got -1"),
        ("bernoulli:0.7,0.5", {"sd": 1.0}, "sd does not .* bernoulli arm"),
        ("gaussian:0,1", {"sd": 1.0, "concentration": 2.0}, "concentration does not .* gaussian"),
        ("gaussian:0,1", {}, r"gaussian arm.*\bsd\b"),
        ("gaussian:0,1", {"concentration": 2.0}, "concentration does not .* gaussian arm"),
    ],
)
def test_a_line_that_makes_no_models_is_refused(
    text: str, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_models(text, parameters)
