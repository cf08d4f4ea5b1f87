"""Frames on a link: priced as the ledger of a real run counts them, and only where they fit."""

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
from bitarm.runtime.links import LINKS, find_link
from bitarm.sim.machines import run_trial
from bitarm.sim.models import Gaussian
from bitarm.sim.scheme import Scheme
from bitarm.sim.tables import checkpoints
from bitarm.sim.tape import empty_tape
from bitarm.sim.world import world_of
from bitarm.wire import encode

_WORLD = world_of([Gaussian(mean=mean, sd=1.0) for mean in (0.0, 0.4, 1.0, 0.2)])
_LORA = find_link("lorawan-eu868-dr0")


def _scheme(quantizer: str) -> Scheme:
    setup = build(
        ("a", "b", "c", "d"),
        seed=0,
        problem={"sigma": 1.0, "delta": 1e-4},
        scheme={"quantizer": quantizer, "width": "pairwise"},
        limits={},
    )
    return Scheme(spec=setup.spec, policy=setup.policy, limits=setup.limits)


@pytest.mark.parametrize("link", ["lorawan-eu868-dr0", "nb-iot"])
@pytest.mark.parametrize("quantizer", ["dicq", "icq", "exact"])
def test_a_run_costs_what_its_ledger_says(link: str, quantizer: str) -> None:
    scheme, profile = _scheme(quantizer), find_link(link)
    rng = np.random.Generator(np.random.SFC64(1))
    grid = np.array(checkpoints(scheme))
    tape = empty_tape(grid, trials=1, messages=grid.size, units=rng.random((1, 4)))
    ledger = LinkLedger(profile)
    learner = run_trial(scheme, tape, _WORLD, rng, 0, ledger.watch)
    costs = frame_costs(profile, scheme.spec, grid[:30].tolist())
    priced = costs.dismissals + sum(costs.messages[: it.message].sum() for it in learner.arms)
    counted = [
        use.bytes_up + use.bytes_down
        if use.air_seconds_up is None or use.air_seconds_down is None
        else use.air_seconds_up + use.air_seconds_down
        for use in ledger.devices()
    ]
    assert priced == pytest.approx(sum(counted))


def test_later_messages_cost_more_where_their_requests_are_longer() -> None:
    each = frame_costs(
        find_link("nb-iot"), _scheme("dicq").spec, [2**n for n in range(20)]
    ).messages
    assert np.all(np.diff(each) >= 0)
    assert each[-1] > each[0]


def test_air_time_is_that_of_both_frames() -> None:
    each = frame_costs(_LORA, _scheme("dicq").spec, [2]).messages
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
