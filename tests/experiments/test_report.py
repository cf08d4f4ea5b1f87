import re
from dataclasses import replace

import pytest
from experiments.fabricated import result

from bitarm.experiments.analysis import Analysis, Panel
from bitarm.experiments.baselines import Baseline
from bitarm.experiments.catalog import Study
from bitarm.experiments.claims import falls
from bitarm.experiments.panels import draw_bounds, draw_factors, draw_floors, draw_panel
from bitarm.experiments.report import Scored, render
from bitarm.experiments.result_folder import Origin
from bitarm.experiments.results import ExperimentResult, published
from bitarm.sim.processor_time import ProcessorTime

_ORIGIN = Origin(version="9.8", code="abc", seed=77, trials=None, instance="fitted", full=False)
_PANEL = Panel(metric="samples", letter="q")


def _scored(found: ExperimentResult, **analysis: object) -> Scored:
    picture = draw_panel(found, _PANEL, found.series, name="own-samples", group="")
    study = Study(
        experiment=found.experiment,
        analysis=Analysis(**analysis),  # type: ignore[arg-type]
    )
    return Scored(study=study, result=found, pictures=(picture,))


def _page(found: ExperimentResult, origin: Origin = _ORIGIN, **analysis: object) -> str:
    return render([_scored(found, **analysis)], origin=origin, costs=[])


def test_the_page_says_what_made_it() -> None:
    page = _page(result({"a": [2.0, 1.0]}))
    for text in ("bitarm 9.8", "sources abc", "seed 77", "(q) samples", "<code>delta=0.1</code>"):
        assert text in page


def test_the_page_needs_nothing_from_anywhere() -> None:
    page = _page(result({"a": [2.0, 1.0]}))
    sources = re.findall(r'(?:src|href)="([^"]*)"', page)
    assert sources
    assert all(source.startswith(("data:image/svg+xml;base64,", "#")) for source in sources)
    assert not re.search(r"<script|<link|@import|url\(", page)


def test_only_the_papers_experiments_are_called_so() -> None:
    own = result({"a": [2.0, 1.0]})
    errata = "Where the paper is wrong"
    assert "<h1>Experiments</h1>" in _page(own)
    assert errata not in _page(own)
    found = replace(own, experiment=replace(own.experiment, name="hardness"))
    assert "<h1>The ICQ paper, reproduced</h1>" in _page(found)
    assert errata in _page(found)


def test_names_and_notes_are_text() -> None:
    found = result({"<script>alert(1)</script>": [2.0, 1.0]})
    page = _page(found, notes=("<b>bold</b>",))
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "&lt;b&gt;bold" in page


def test_a_claim_that_fails_is_shown_with_its_points() -> None:
    page = _page(result({"a": [1.0, 2.0]}), claims=(falls("samples", "a"),))
    assert re.search(r">fails</span>.*\n?.*samples of a fall", page)
    assert "samples of a from x = 1 to 2: 1, then 2" in page
    assert ">holds</span>" in _page(result({"a": [2.0, 1.0]}), claims=(falls("samples", "a"),))


def test_deviations_stand_beside_the_published_numbers() -> None:
    paper = [published("hardness", "rounds", "exact", x) or 0.0 for x in (0.1, 1.0)]
    means = [paper[0] * 1.01, paper[1] * 0.75]
    page = _page(result({"exact": means}, name="hardness", values=[0.1, 1.0]))
    assert "13.0 %" in page
    assert "(-25.0 % at 1)" in page


@pytest.mark.parametrize(("errors", "verdict"), [(0, "not contradicted"), (60, "above δ")])
def test_error_rates_are_judged_by_their_exact_interval(errors: int, verdict: str) -> None:
    full = replace(_ORIGIN, full=True)
    page = _page(result({"a": [2.0, 1.0]}, errors=errors), full)
    assert verdict in page
    assert "How often the answer was wrong" not in _page(result({"a": [2.0, 1.0]}))


def test_the_cost_is_told_beside_the_bare_draws() -> None:
    costs = [
        ProcessorTime(seconds=2.0, draw_seconds=1.5),
        ProcessorTime(seconds=1.0, draw_seconds=0.5),
    ]
    page = render([_scored(result({"a": [2.0, 1.0]}))], origin=_ORIGIN, costs=costs)
    assert "1.50 times the bare draws" in page
    assert "every chunk was kept" in _page(result({"a": [2.0, 1.0]}))


def test_a_picture_is_the_same_bytes_every_time() -> None:
    found = result({"a": [2.0, 1.0]}, sem=0.1)
    first, again = (draw_panel(found, _PANEL, found.series, name="p", group="") for _ in range(2))
    assert first == again
    assert first.png.startswith(b"\x89PNG")


def test_series_that_a_panel_leaves_out_do_not_change_it() -> None:
    one = result({"a": [2.0, 1.0]})
    two = result({"a": [2.0, 1.0], "z": [200.0, 100.0]})
    panel = replace(_PANEL, without=("z",))
    assert (
        draw_panel(one, panel, ["a"], name="p", group="").svg
        == draw_panel(two, panel, ["a", "z"], name="p", group="").svg
    )


def test_bounds_are_drawn_where_there_are_any() -> None:
    found = result({"exact": [20.0, 10.0]})
    assert draw_bounds(found, "samples", ["exact"], name="b", group="") is not None
    assert draw_bounds(found, "rounds", [], name="b", group="") is None


def test_factors_over_a_baseline_are_told_at_a_glance_and_point_by_point() -> None:
    found = result({"icq": [8.0, 9.0], "new": [4.0, 1.0]}, quantizer="icq")
    baselines = (Baseline(series="icq"),)
    page = _page(found, baselines=baselines, headline="new")
    assert "Times fewer than ICQ-SE, rerun" in page
    assert re.search(
        r"<td>new</td>\s*<td class=\"n\">4.24\s*<span class=\"soft\">2.00 – 9.00", page
    )
    assert re.search(r"<td class=\"n\">1</td><td class=\"n\">2.00 / 2.00</td></tr>", page)
    assert "Times fewer" not in _page(found)


def test_the_part_beyond_the_paper_has_a_head_with_the_factors_that_stand_for_it() -> None:
    found = result({"icq": [8.0, 9.0], "new": [4.0, 1.0]}, quantizer="icq", name="gains_offset")
    page = _page(found, baselines=(Baseline(series="icq"),), headline="new")
    assert page.count('id="beyond"') == page.count('href="#beyond"') == 1
    assert "<strong>4.24</strong>" in page
    assert 'id="beyond"' not in _page(result({"a": [2.0, 1.0]}))


def test_factors_and_floors_are_drawn_where_there_are_any() -> None:
    found = result({"icq": [8.0, 9.0], "new": [4.0, 1.0]}, quantizer="icq")
    over = Baseline(series="icq")
    assert draw_factors(found, "samples", over, name="f", group="") is not None
    exact = result({"icq": [8.0, 9.0], "new": [4.0, 1.0]})
    assert draw_factors(exact, "payload_bits", over, name="f", group="") is None
    assert draw_floors(found, "payload_bits", ["new"], name="f", group="") is not None
    assert draw_floors(found, "rounds", ["new"], name="f", group="") is None
