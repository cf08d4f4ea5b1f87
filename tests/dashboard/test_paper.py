"""The published curves: samples against bits, where both are published."""

from bitarm.dashboard.paper import curves, published

TABLE = """experiment,metric,series,x,paper_mean
bounded,samples,icq-b2,2,200
bounded,samples,icq-b2,1,100
bounded,samples,icq-b2,3,300
bounded,payload_bits,icq-b2,1,10
bounded,payload_bits,icq-b2,2,20
bounded,samples,exact,1,50
bounded,rounds,icq-b2,1,5
"""


def test_only_points_with_both_prices_are_drawn() -> None:
    (curve,) = curves(TABLE)
    assert (curve.experiment, curve.series, curve.x) == ("bounded", "icq-b2", [1.0, 2.0])
    assert (curve.samples, curve.payload_bits) == ([100.0, 200.0], [10.0, 20.0])


def test_the_reproductions_file_is_found() -> None:
    found = {(curve.experiment, curve.series) for curve in published()}
    assert {("bounded", "fed-sel"), ("gaussian", "icq-b3"), ("hardness", "icq-b2")} <= found
    assert not any(series == "exact" for _, series in found)
