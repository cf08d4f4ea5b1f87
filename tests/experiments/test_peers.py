"""Published figures of other strategies: data with a source, beside ours and never among them."""

import pytest
from experiments.fabricated import result

from bitarm.experiments.catalog import load_study
from bitarm.experiments.full_bets import FullBets
from bitarm.experiments.peers import peer_rows, published_rows
from bitarm.experiments.results import to_csv
from bitarm.sim.statistics import Moments


def test_published_figures_have_their_source_and_their_instance() -> None:
    rows = {row.strategy: [figure.samples for figure in row.figures] for row in published_rows()}
    assert rows == {
        "Track-and-Stop": [4052, 1406],
        "Chernoff-Racing": [4516, 3078],
        "KL-LUCB": [8437, 2716],
        "KL-Racing": [9590, 3334],
    }
    assert {row.source for row in published_rows()} == {"Garivier and Kaufmann 2016, Table 1"}
    notes = {row.strategy: row.note for row in published_rows()}
    assert notes["Track-and-Stop"] == "threshold without a proof"


def test_the_experiment_has_the_arms_and_the_delta_of_the_table() -> None:
    experiment = load_study("peers").experiment
    means = [[model.mean for model in experiment.models(x)] for x in experiment.axis.values]
    assert means == [[0.5, 0.45, 0.43, 0.4], [0.3, 0.21, 0.2, 0.19, 0.18]]
    assert experiment.words("challenge", 1) == {
        "delta": 0.1,
        "bounds": (0.0, 1.0),
        "quantizer": "dyadic",
        "policy": "challenge",
        "width": "bounded",
    }
    assert experiment.trials == 3000


def test_ours_stand_among_theirs_in_order_and_theirs_are_in_no_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moments = Moments(count=9, mean=6000.0, squares=0.0)
    monkeypatch.setattr(
        "bitarm.experiments.peers.run_full_bets",
        lambda means, **words: FullBets(samples=moments, wrong=1),
    )
    made = result({"a": [5000.0, 2000.0]}, quantizer="icq", errors=2)
    rows = peer_rows(made)
    assert [row.strategy for row in rows] == [
        "Track-and-Stop",
        "Chernoff-Racing",
        "a",
        "bets on every reward, seen in one place",
        "KL-LUCB",
        "KL-Racing",
    ]
    ours = rows[2].figures[0]
    assert (ours.samples, ours.bits, ours.wrong) == (5000.0, 5000.0, 2 / 101)
    assert rows[3].figures[0].bits is None
    assert "Track" not in to_csv(made.rows())
