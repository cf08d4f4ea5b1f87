import pytest

from bitarm.api.simulate import setup_of, simulate
from bitarm.experiments.experiment import parse_sweep
from bitarm.experiments.message_bounds import message_counts, rate_bits, shortest_bits
from bitarm.experiments.results import ExperimentResult
from bitarm.experiments.run import run_experiments
from bitarm.sim.models import Bernoulli

_COINS = (Bernoulli(mean=0.8), Bernoulli(mean=0.4))


def _found(offsets: list[float]) -> ExperimentResult:
    sweep = {
        "title": "One",
        "x": {"label": "Δ", "values": [0.1, 0.3]},
        "trials": 1600,
        "arms": {"model": "gaussian", "sd": 0.125, "means": [0, 0, "x"], "offsets": offsets},
        "settings": {"delta": 1e-5, "sigma": 0.125},
        "series": {
            "dicq": {"quantizer": "dicq", "width": "pairwise", "policy": "se"},
            "icq": {"quantizer": "icq", "bits": 3},
        },
    }
    experiment = parse_sweep("own", sweep)
    (found,) = run_experiments([experiment], trials=None, seed=5, full=False, workers=1, cache=None)
    return found


def test_messages_are_those_of_the_trials() -> None:
    """ICQ's cost B bits each, so that bits tell how many there were."""
    words = {"quantizer": "icq", "bits": 3, "prior": "lower", "bounds": (0.0, 1.0), "delta": 0.01}
    counts = message_counts(setup_of(_COINS, words), _COINS, trials=2000, seed=1)
    assert counts[0] == 2.0
    assert list(counts) == sorted(counts, reverse=True)
    (point,) = simulate(_COINS, trials=20_000, seed=9, **words).points  # type: ignore[arg-type]
    assert 3 * sum(counts) == pytest.approx(point.result.payload_bits.mean, rel=0.01)


def test_measured_bits_lie_above_what_their_messages_must_cost() -> None:
    """With an offset that no code knows; and not so far above that twice the floor would do."""
    found = _found([(place + 0.5) / 16 for place in range(16)])
    for x in found.experiment.axis.values:
        entropy, rate = shortest_bits(found, "dicq")(x), rate_bits(found, "dicq")(x)
        measured = found.points["dicq", x].result.payload_bits.mean
        assert entropy is not None
        assert rate is not None
        assert rate < entropy < measured < 2 * entropy


def test_other_messages_have_no_such_law() -> None:
    assert shortest_bits(_found([0.0]), "icq")(0.1) is None
