"""`identify --link`: what fits, and what it would cost there."""

import pytest
from cli.program import PAPER, Command


def test_the_cost_is_told_to_a_person(bitarm: Command) -> None:
    words = ("identify", "--seed", 1, *PAPER, "--link", "lorawan-eu868-dr0")
    done = bitarm(*words, "--pull-packets", 0)
    assert done.code == 0
    told = [" ".join(line.split()) for line in done.out.splitlines()[-5:]]
    assert told == [
        "link lorawan-eu868-dr0",
        "messages 61 up, 69 down in all",
        "busiest agent 12 up, 13 down; on air 17.8 s up, 27.1 s down",
        "downlinks 24 minutes of one gateway's duty cycle",
        "lasts at least 30 minutes, by the link's limits on frames alone",
    ]


def test_what_pulls_take_is_told_too(bitarm: Command) -> None:
    """A pull of the built-in example sends 20 packets; the busiest arm makes 4,096 pulls."""
    words = ("identify", "--seed", 1, *PAPER, "--link", "lorawan-eu868-dr0")
    told = [" ".join(line.split()) for line in bitarm(*words).out.splitlines()[-2:]]
    assert told == [
        "its pulls 81,920 packets over the same link",
        "lasts at least 140.6 days, pulls included",
    ]
    timed = bitarm(*words, "--pull-packets", 0, "--pull-seconds", 3600, "--json").json["link"]
    assert timed["pulls_included"]
    assert timed["busiest"]["least_hours"] == 4096
    assert bitarm("identify", "--seed", 1, "--pull-seconds", 1).code == 2


def test_the_cost_is_told_to_a_program(bitarm: Command) -> None:
    plain = bitarm("identify", "--seed", 1, *PAPER, "--json").json
    result = bitarm("identify", "--seed", 1, *PAPER, "--json", "--link", "none").json
    link = result.pop("link")
    assert result == plain | {"run": 2}
    assert (link["name"], link["messages_up"], link["messages_down"]) == ("none", 61, 69)
    assert link["busiest"]["messages_up"] == 12
    assert link["busiest"]["air_seconds_up"] is None


def test_the_default_costs_less_time_on_the_air(bitarm: Command) -> None:
    ours, papers = (
        bitarm("identify", "--seed", 1, *scheme, "--json", "--link", "lorawan-eu868-dr0").json
        for scheme in ((), PAPER)
    )
    for way in ("messages_up", "messages_down"):
        assert ours["link"][way] < papers["link"][way]
    for way in ("air_seconds_up", "air_seconds_down"):
        assert ours["link"]["busiest"][way] < papers["link"]["busiest"][way]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--link", "lorawan-us915-dr0", "--max-rounds", "58"), "take at most 57 rounds"),
        (("--link", "lorawan-us915-dr0", "--quantizer", "exact"), "symbols of at most 16 bits"),
        (("--link", "lora"), "link must be one of lorawan-eu868-dr0"),
    ],
)
def test_what_does_not_fit_is_refused_before_the_run(
    bitarm: Command, words: tuple[str, ...], says: str
) -> None:
    done = bitarm("identify", "--seed", 1, *words)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert "no runs" in bitarm("runs", "list").out
