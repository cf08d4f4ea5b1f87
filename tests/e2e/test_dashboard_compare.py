"""Compare and Explain in a real browser: runs beside files and the paper; the core's numbers."""

import json
import re
from pathlib import Path

import pytest
from dashboard.stores import standings_in
from e2e.browser import rows_of
from e2e.conftest import OpenPage
from playwright.sync_api import expect

from bitarm.core.confidence import radius
from bitarm.core.quantizers import Icq
from bitarm.theory import lower_bound

pytestmark = pytest.mark.slow


def test_compare_shows_runs_files_and_the_paper(
    site: str, store: Path, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(f"{site}/compare?runs=1")
    expect(page.locator("#points tbody th")).to_have_text(["run 1"])
    page.get_by_label("Run 2").check()
    expect(page.locator("#points tbody th")).to_have_text(["run 1", "run 2"])
    assert page.url.endswith("?runs=1,2")
    rows = rows_of(page, "points")
    for run in (1, 2):
        standings = standings_in(store, run)
        assert rows[f"run {run}"]["samples"] == f"{standings.samples:,}"
        assert rows[f"run {run}"]["payload_bits"] == f"{standings.payload_bits:,}"
    file = tmp_path / "sweep.json"
    file.write_text(json.dumps(_simulation()))
    page.set_input_files("#files", file)
    expect(page.locator("#points tbody tr")).to_have_count(3)
    ((_, row),) = (
        item for item in rows_of(page, "points").items() if item[0].startswith("sweep.json: ")
    )
    bound = lower_bound([0.9, 0.5, 0.7], sigma=0.5, delta=0.01)
    assert (row["samples"], row["lower_bound"]) == ("5,000 ± 20", f"{bound.samples:.0f}")
    assert page.locator("#prices .point").count() == 3
    assert page.locator("#prices .bound").count() == 2  # a run without an answer has none
    expect(page.locator("#prices .point.unanswered text")).to_have_text(["run 2, no answer"])
    page.select_option("#experiment", "bounded")
    expect(page.locator("#prices .paper-curve")).to_have_count(5)
    for width, drawn in ((1280, r"^[4-9]\d\d$"), (390, r"^3\d\d$")):
        page.set_viewport_size({"width": width, "height": 900})
        expect(page.locator("#prices > svg")).to_have_attribute("width", re.compile(drawn))
        assert page.evaluate(_TOUCHING, "#prices svg > text.quiet, #prices .point text") == []
    bad = tmp_path / "bad.json"
    bad.write_text('{"results": [{}]}')
    page.set_input_files("#files", bad)
    expect(page.locator("#problem")).to_contain_text("bad.json is no result of `bitarm simulate")


def test_a_run_that_is_gone_can_be_left_out_of_a_comparison(site: str, open_page: OpenPage) -> None:
    page = open_page(f"{site}/compare?runs=1,99")
    expect(page.locator("#problem")).to_contain_text("there is no run 99")
    page.get_by_label("Run 99").uncheck()
    expect(page.locator("#points tbody th")).to_have_text(["run 1"])
    expect(page.locator("#problem")).to_be_hidden()


_TOUCHING = """chosen => {
  const texts = [...document.querySelectorAll(chosen)];
  const boxes = texts.map(it => [it.textContent, it.getBoundingClientRect()]);
  const level = (a, b) => a.top + 2 < b.bottom && b.top + 2 < a.bottom;
  const touch = (a, b) => level(a, b) && a.left < b.right && b.left < a.right;
  return boxes.flatMap(([text, a], i) =>
    boxes.slice(i + 1).filter(([, b]) => touch(a, b)).map(([other]) => [text, other]));
}"""


def _simulation() -> dict[str, object]:
    return {
        "trials": 100,
        "seed": 1,
        "means": [0.9, 0.5, 0.7],
        "results": [
            {
                "quantizer": "icq", "bits": 3, "policy": "se", "delta": 0.01, "sigma": 0.5,
                "rounds": {"mean": 9.5, "sem": 0.1},
                "samples": {"mean": 5000.0, "sem": 10.0},
                "payload_bits": {"mean": 100.0, "sem": 1.0},
                "error_rate": {"value": 0.0, "low": 0.0, "high": 0.03},
            }
        ],
    }  # fmt: skip


def test_explain_shows_the_cores_numbers(site: str, open_page: OpenPage) -> None:
    page = open_page(f"{site}/explain")
    for bits, index in ((3, 4), (1, 2), (5, 9)):
        page.locator("#bits").fill(str(bits))
        page.locator("#index").fill(str(index))
        expect(page.locator("#sentence")).to_contain_text(f"In round {index}, after {2**index}")
        expect(page.locator("#sentence .symbol")).to_have_text(re.compile(f"^[01]{{{bits}}}$"))
        numbers = dict(
            zip(
                page.locator("#numbers dt").all_inner_texts(),
                page.locator("#numbers dd").all_inner_texts(),
                strict=True,
            )
        )
        u_prime, before = float(numbers["U′"]), float(numbers["U before"])
        error = 2.0**-bits * (u_prime + before)
        assert float(numbers["its bound"]) == pytest.approx(error, rel=1e-2)
        assert float(numbers["U now"]) == pytest.approx(radius(u_prime, error), rel=1e-2)
        assert page.locator("#bins .bin").count() == 2**bits
        assert page.locator("#bins .bin.chosen").count() == 1
    page.locator("#earlier").fill("0")
    page.locator("#mu_hat").fill("1")
    page.locator("#index").fill("12")
    expect(page.locator("#sentence")).to_contain_text("outside the interval")
    assert Icq.certain is False  # which is why the page says so
