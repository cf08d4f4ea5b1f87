"""Frames on a link: priced as the ledger of a real run counts them, and only where they fit."""

from typing import Any

import numpy as np
import pytest
from planner.questions import ask

from bitarm.api.scheme import build
from bitarm.core.messages import Request
from bitarm.core.spec import RunSpec
from bitarm.errors import ConfigError
from bitarm.planner.candidates import coarse
from bitarm.planner.frames import Fit, frame_costs, require_any_fit, unit_of
from bitarm.planner.gauge import Gauge
from bitarm.runtime.airtime import air_seconds
from bitarm.runtime.link_ledger import LinkLedger
from bitarm.runtime.links import LINKS, Link, find_link
from bitarm.sim.machines import run_machines, run_trial
from bitarm.sim.models import Gaussian
from bitarm.sim.scheme import Scheme
from bitarm.sim.tables import checkpoints
from bitarm.sim.tape import empty_tape
from bitarm.sim.world import world_of
from bitarm.wire import encode

_WORLD = world_of([Gaussian(mean=mean, sd=1.0) for mean in (0.0, 0.4, 1.0, 0.2)])
_LORA = find_link("lorawan-eu868-dr0")


def _scheme(**words: Any) -> Scheme:
    setup = build(
        ("a", "b", "c", "d"),
        seed=0,
        problem={"sigma": 1.0, "delta": 1e-4},
        scheme={"width": "pairwise", **words},
        limits={},
    )
    return Scheme(spec=setup.spec, policy=setup.policy, limits=setup.limits)


def _sides(scheme: Scheme, link: Link, untils: list[int]) -> tuple[float, float]:
    """What twenty runs cost by their ledgers, and by our prices."""
    rng = np.random.Generator(np.random.SFC64(1))
    grid = np.array(checkpoints(scheme))
    tape = empty_tape(grid, trials=20, messages=grid.size, units=rng.random((20, 4)))
    counted = 0.0
    for trial in range(20):
        ledger = LinkLedger(link)
        run_trial(scheme, tape, _WORLD, rng, trial, ledger.watch)
        for use in ledger.devices():
            air = (use.air_seconds_up or 0.0) + (use.air_seconds_down or 0.0)
            counted += air or use.bytes_up + use.bytes_down
    costs = frame_costs(link, 4, untils)
    runs = run_machines(scheme, tape, _WORLD, rng)  # once more: the tape has been drawn
    return counted, float(costs.of(runs).sum())


@pytest.mark.parametrize("link", ["lorawan-eu868-dr0", "nb-iot"])
@pytest.mark.parametrize(
    "words",
    [
        {"quantizer": "dicq", "policy": "se"},
        {"quantizer": "icq", "bits": 2},
        {"quantizer": "exact"},
        {"quantizer": "quban", "epsilon_quban": 2.0**-9},  # codewords of 25 bits
    ],
    ids=lambda words: str(words["quantizer"]),
)
def test_frames_are_priced_nearly_as_ledgers_say(link: str, words: dict[str, Any]) -> None:
    scheme = _scheme(**words)
    counted, priced = _sides(scheme, find_link(link), checkpoints(scheme)[:12])
    assert priced == pytest.approx(counted, rel=0.04)


@pytest.mark.parametrize("switches", [(True, True), (True, False), (False, True), (False, False)])
@pytest.mark.parametrize("link", ["lorawan-eu868-dr0", "nb-iot"])
def test_hints_are_priced_nearly_as_ledgers_say(link: str, switches: tuple[bool, bool]) -> None:
    words = dict(zip(("leader_first", "pilot"), switches, strict=True))
    scheme = _scheme(quantizer="dicq", policy="quiet", first=8, **words)
    counted, priced = _sides(scheme, find_link(link), [8, 300])
    assert priced == pytest.approx(counted, rel=0.08)  # some that follow need no hint


def test_later_messages_cost_more_where_their_requests_are_longer() -> None:
    each = frame_costs(find_link("nb-iot"), 4, [2**n for n in range(20)]).messages
    assert np.all(np.diff(each) >= 0)
    assert each[-1] > each[0]


def test_air_time_is_that_of_both_frames() -> None:
    each = frame_costs(_LORA, 4, [2]).messages
    request = len(encode(Request(run=0, arm=3, message=1, until=2)))
    assert _LORA.up.rate is not None
    assert _LORA.down.rate is not None
    assert each[0] == pytest.approx(
        air_seconds(_LORA.up.rate, 11, up=True) + air_seconds(_LORA.down.rate, request, up=False)
    )


def test_units_are_named() -> None:
    assert unit_of(_LORA) == "second of air time"
    assert unit_of(find_link("nb-iot")) == "byte of frames"


def test_a_link_that_carries_no_request_is_refused_at_once() -> None:
    with pytest.raises(ConfigError, match="no setting fits the link sigfox"):
        require_any_fit(find_link("sigfox"))
    for name in set(LINKS) - {"sigfox"}:
        require_any_fit(find_link(name))


def test_fit_is_what_the_links_own_check_says() -> None:
    question = ask(bounds=(0.0, 1.0), gap=0.3, link="lorawan-us915-dr0")
    gauge = Gauge(question, seed=1)
    fit = Fit(question, gauge.spec_of)
    by_name = {it.words["quantizer"]: it for it in coarse(question) if it.words["growth"] == 2.0}
    assert fit.carries(by_name["icq"])
    assert not fit.carries(by_name["dicq"])
    assert "carries 11 bytes up" in fit.refusal


def test_without_a_link_everything_fits_and_nothing_is_asked() -> None:
    def spec_of(_: object) -> RunSpec:
        raise AssertionError("nobody needs to know")

    question = ask()
    assert Fit(question, spec_of).carries(coarse(question)[0])
