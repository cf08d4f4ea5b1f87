"""The dashboard as a person meets it: in a real browser, beside the journal that it shows."""

import re
import xml.etree.ElementTree as ET
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dashboard.stores import MARKUP, PAPER, SlowRun, identify_into, standings_in
from e2e.browser import rows_of
from e2e.conftest import OpenPage
from e2e.served import served
from playwright.sync_api import Page, expect

from bitarm.core.events import AgentJoined, ArmsLost, FleetAssigned, ReportIgnored
from bitarm.core.result import result_of
from bitarm.core.standings import ArmStanding, Standings
from bitarm.store import SqliteJournal

pytestmark = pytest.mark.slow


def _figures(page: Page) -> dict[str, str]:
    names = page.locator("#figures dt").all_inner_texts()
    values = [div.locator("dd").first.inner_text() for div in page.locator("#figures div").all()]
    return dict(zip(names, values, strict=True))


def _check_arms(page: Page, standings: Standings) -> None:
    """Every arm on the page is as the journal has it."""
    rows = rows_of(page, "arms")
    assert set(rows) == {arm.name for arm in standings.arms}
    for number, arm in enumerate(standings.arms):
        row = rows[arm.name]
        assert row["pulls"] == f"{'≤ ' if arm.pulls_at_most else ''}{arm.pulls:,}"
        assert row["messages"] == f"{arm.messages:,}"
        assert row["bits"] == f"{arm.payload_bits:,}"
        assert row["state"] == _state(standings, number, arm)
        if arm.mean is not None and arm.radius is not None:
            mean, plus_minus = (float(text) for text in row["mean"].strip("()").split(" ± "))
            assert mean == pytest.approx(arm.mean, rel=0.05, abs=0.01)
            assert plus_minus == pytest.approx(arm.radius, rel=0.05, abs=0.01)


def _state(standings: Standings, number: int, arm: ArmStanding) -> str:
    if arm.dropped_for is not None and arm.beaten_by is not None:
        return f"gave up in round {arm.dropped_in} to {standings.arms[arm.dropped_for].name}"
    if arm.dropped_for is not None:
        return f"out in round {arm.dropped_in}, by {standings.arms[arm.dropped_for].name}"
    if standings.ending is None:
        return "in the race"
    return "best" if standings.ending.best_arm == number else "not decided"


def _check_figures(page: Page, standings: Standings) -> None:
    figures = _figures(page)
    assert figures["rounds"] == f"{standings.round:,}"
    assert figures["samples"].removeprefix("≤ ") == f"{standings.samples:,}"
    assert figures["bits sent"] == f"{standings.payload_bits:,}"
    sent = page.locator("#figures div", has_text="bits sent")
    assert sent.locator("dd").count() == 1  # no bytes: messages are padded one by one


# -- runs ----------------------------------------------------------------------------------------


def test_the_runs_page_lists_what_the_journal_holds(
    site: str, store: Path, open_page: OpenPage
) -> None:
    page = open_page(f"{site}/")
    expect(page.locator("#runs tbody tr")).to_have_count(3)
    rows = rows_of(page, "runs")
    decided = result_of(standings_in(store, 1))
    assert rows["Run 1"]["answer"] == decided.best_arm_name
    assert rows["Run 1"]["guarantee"] == "wrong ≤ 0.05"
    assert rows["Run 1"]["samples"] == f"{decided.samples:,}"
    assert rows["Run 1"]["payload_bits"] == f"{decided.payload_bits:,}"
    assert rows["Run 1"]["rounds"] == str(decided.rounds)
    assert rows["Run 2"]["state"] == "round limit"
    assert (rows["Run 2"]["answer"], rows["Run 2"]["guarantee"]) == ("none", "none")
    assert rows["Run 3"]["answer"].startswith("north leads, ")


def test_runs_are_filtered_and_sorted(site: str, store: Path, open_page: OpenPage) -> None:
    page = open_page(f"{site}/")
    expect(page.locator("#runs tbody tr")).to_have_count(3)
    page.fill("#filter", "quban")
    expect(page.locator("#runs tbody th")).to_have_text(["Run 2"])
    expect(page.locator("#count")).to_have_text("1 run of 3")
    page.fill("#filter", "")
    page.select_option("#state", "decided")
    expect(page.locator("#runs tbody th")).to_have_text(["Run 1"])
    page.select_option("#state", "")
    page.get_by_role("button", name="Samples").click()
    samples = {f"Run {run}": standings_in(store, run).samples for run in (1, 2, 3)}
    largest_first = sorted(samples, key=lambda run: -samples[run])
    expect(page.locator("#runs tbody th")).to_have_text(largest_first)
    heading = page.get_by_role("columnheader", name="Samples")
    assert heading.get_attribute("aria-sort") == "descending"
    page.get_by_role("link", name="Run 1").click()
    expect(page.locator("h1")).to_have_text("Run 1")


def test_a_live_run_is_on_top_and_moves(tmp_path: Path, open_page: OpenPage) -> None:
    store = tmp_path / "runs.sqlite"
    slow = SlowRun(store)
    identify_into(store, seed=5)
    with served(store) as address, closing(slow):
        page = open_page(f"{address}/")
        expect(page.locator("#runs tbody th")).to_have_text(["Run 1", "Run 2"])
        expect(page.locator("#runs .live")).to_have_count(1)
        for _ in range(3):
            slow.play_round()
            standings = slow.standings()
            cell = page.locator("tr[data-row='1'] [data-key='samples']")
            expect(cell).to_have_text(f"{standings.samples:,}")


# -- one run -------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", [1, 2, 3])
def test_a_stored_run_is_shown_as_the_journal_has_it(
    site: str, store: Path, open_page: OpenPage, run: int
) -> None:
    standings = standings_in(store, run)
    page = open_page(f"{site}/runs/{run}")
    expect(page.locator("#arms tbody tr")).to_have_count(len(standings.arms))
    _check_arms(page, standings)
    _check_figures(page, standings)
    headline = page.locator("#headline").inner_text()
    if run == 1:
        assert headline == "north is the best arm."
        assert "at most 0.05" in page.locator("#subline").inner_text()
    elif run == 2:
        assert headline.startswith("No answer: the limit on rounds was reached.")
    else:
        assert headline.startswith("Round ")
    assert page.locator("#race g.arm").count() == len(standings.arms)
    out = page.eval_on_selector_all("#race g.out", "(all) => all.map((one) => +one.dataset.arm)")
    assert set(out) == {number for number, arm in enumerate(standings.arms) if not arm.active}


@pytest.mark.parametrize("scheme", [{}, PAPER], ids=["default", "paper"])
def test_a_live_run_narrows_to_its_decision(
    scheme: dict[str, Any], tmp_path: Path, open_page: OpenPage
) -> None:
    store = tmp_path / "runs.sqlite"
    slow = SlowRun(store, **scheme)
    with served(store) as address, closing(slow):
        page = open_page(f"{address}/runs/{slow.run}")
        expect(page.locator("#headline")).to_have_text("4 arms at the start; nothing heard yet.")
        while not slow.ended:
            slow.play_round()
            standings = slow.standings()
            at_most = "≤ " if standings.samples_at_most else ""
            samples = page.locator("#figures dd").nth(1)
            expect(samples).to_have_text(f"{at_most}{standings.samples:,}")
            _check_arms(page, standings)
        expect(page.locator("#headline")).to_have_text("north is the best arm.")
        _check_figures(page, slow.standings())
        assert page.locator("#race g.best").get_attribute("data-arm") == "0"


def test_arms_of_the_default_scheme_are_drawn_beside_their_names(
    tmp_path: Path, open_page: OpenPage
) -> None:
    store = tmp_path / "runs.sqlite"
    identify_into(store, seed=1)
    standings = standings_in(store, 1)
    with served(store) as address:
        page = open_page(f"{address}/runs/1")
        expect(page.locator("#arms tbody tr")).to_have_count(len(standings.arms))
        _check_arms(page, standings)
        for number, arm in enumerate(standings.arms):
            drawn = page.locator(f"#race g.arm[data-arm='{number}']")
            assert drawn.locator("circle").count() <= 1, arm.name  # none beyond the scale
            line = drawn.locator("line.interval").bounding_box()
            name = drawn.locator(".name").bounding_box()
            assert line is not None
            assert name is not None
            assert line["x"] >= name["x"] + name["width"], "a bar runs through its arm's name"
        expect(page.locator("#log li", has_text="gave up with").first).to_contain_text(" is better")
        page.locator("#log li", has_text="asked to advance").first.get_by_role("button").click()
        expect(page.locator("#frames")).to_contain_text("pull until")


def test_the_health_of_agents_is_shown(tmp_path: Path, open_page: OpenPage) -> None:
    store = tmp_path / "runs.sqlite"
    slow = SlowRun(store, **PAPER)
    with served(store) as address, closing(slow):
        page = open_page(f"{address}/runs/{slow.run}")
        slow.note(FleetAssigned(fleet="roofs", agents=("a", "b", "c", "a")))
        slow.play_round()
        repeat = ReportIgnored(arm=1, message=1)
        slow.note(
            repeat,
            replace(repeat, times=40),
            AgentJoined(agent="a", boot="b", life="l", restarts=3),
        )
        slow.note(ArmsLost(round=2, arms=(2,), stops=False))
        expect(page.locator("#agents tr[data-row='1'] [data-key='repeats']")).to_have_text("41")
        expect(page.locator("#agents tr[data-row='0'] th")).to_have_text("north: a")
        rows = rows_of(page, "agents")
        assert [rows[name]["restarts"] for name in ("north: a", "depot: a")] == ["3", "3"]
        assert rows["south: b"]["restarts"] == "0"
        assert rows["south: b"]["last_seen"].endswith(" ago")
        lost = page.locator("#arms tr[data-row='2'] [data-key='state']")
        expect(lost).to_have_text("lost in round 2: not heard from")
        expect(page.locator("#headline")).to_contain_text("3 of 4 arms still in the race")


def test_the_slider_replays_to_any_moment(site: str, store: Path, open_page: OpenPage) -> None:
    with closing(SqliteJournal.open_read_only(store)) as journal:
        entries = list(journal.read(1))
    page = open_page(f"{site}/runs/1")
    slider = page.locator("#moment")
    expect(slider).to_have_attribute("max", str(len(entries)))
    for moment in (2, 7, len(entries) // 2, len(entries) - 3):
        slider.fill(str(moment))
        expect(page.locator("#moment-text")).to_contain_text(f"event {moment} of {len(entries)}")
        standings = Standings.of(entry.event for entry in entries[:moment])
        _check_arms(page, standings)
        _check_figures(page, standings)
        expect(page.locator("#log li").first).to_have_attribute("data-sequence", str(moment))
    page.locator("#follow").click()
    expect(page.locator("#headline")).to_have_text("north is the best arm.")


def test_play_runs_to_the_end(site: str, open_page: OpenPage) -> None:
    page = open_page(f"{site}/runs/2")
    expect(page.locator("#arms tbody tr")).to_have_count(4)
    page.locator("#play").click()
    expect(page.locator("#moment-text")).not_to_contain_text("round 4")
    expect(page.locator("#headline")).to_contain_text("No answer")
    expect(page.locator("#play")).to_have_text("Play")


def test_a_frame_is_shown_bit_by_bit(site: str, open_page: OpenPage) -> None:
    page = open_page(f"{site}/runs/1")
    expect(page.locator("#log li").first).to_be_visible()  # before, the slider follows the run
    page.locator("#moment").fill("3")
    page.locator("[data-frames='3']").click()
    frame = page.locator(".frame")
    expect(frame).to_have_count(1)
    shown = re.sub(r"\s", "", frame.locator(".bitline").inner_text())
    as_hex = frame.locator("code").inner_text()
    assert int(shown, 2).to_bytes(len(shown) // 8) == bytes.fromhex(as_hex)
    names = frame.locator("tbody th").all_inner_texts()
    assert {"version", "symbol", "run", "arm", "check sum"} <= {name.strip() for name in names}


def test_a_thousand_arms_stay_a_page_of_rows(tmp_path: Path, open_page: OpenPage) -> None:
    store = tmp_path / "runs.sqlite"
    means = {f"arm-{number:03}": 0.1 + 0.8 * number / 999 for number in range(1000)}
    identify_into(store, seed=1, means=means, max_rounds=11, quantizer="exact")
    standings = standings_in(store, 1)
    with served(store) as address:
        page = open_page(f"{address}/runs/1")
        expect(page.locator("#arms tbody tr")).to_have_count(25)
        active = {arm.name for arm in standings.arms if arm.active}
        shown = page.locator("#arms tbody th").all_inner_texts()
        assert set(shown) <= active if len(active) >= 25 else active <= set(shown)
        assert page.locator("#race g.arm").count() == 24
        page.locator("#arms").get_by_label("Find an arm").fill("arm-000")
        expect(page.locator("#arms tbody th")).to_have_text(["arm-000"])
        _check_figures(page, standings)


def test_names_with_markup_are_text(tmp_path: Path, open_page: OpenPage) -> None:
    store = tmp_path / "runs.sqlite"
    identify_into(store, seed=1, means={MARKUP: 0.9, "plain": 0.2, "=1+1": 0.3})
    with served(store) as address:
        for path in ("/", "/runs/1", "/compare?runs=1"):
            page = open_page(address + path)
            expect(page.locator("tbody tr").first).to_be_visible()
            expect(page.locator("body")).to_contain_text("<img src=x")
            assert "owned" not in page.title()
            assert page.locator("img, main script").count() == 0
        page = open_page(f"{address}/runs/1")
        with page.expect_download() as saved:
            page.locator("#race").get_by_role("button", name="CSV").click()
        assert "'=1+1" in saved.value.path().read_text()


def test_every_chart_downloads_as_csv_and_svg(site: str, store: Path, open_page: OpenPage) -> None:
    for path, drawn in (
        ("/runs/1", "#samples .bars"),
        ("/compare?runs=1,2", "#prices .point"),
        ("/explain", "#radii .line"),
    ):
        page = open_page(site + path)
        expect(page.locator(drawn).first).to_be_attached()
        for figure in page.locator("figure").all():
            with page.expect_download() as saved:
                figure.get_by_role("button", name="CSV").click()
            assert len(saved.value.path().read_text().splitlines()) > 1
            with page.expect_download() as saved:
                figure.get_by_role("button", name="SVG").click()
            root = ET.fromstring(saved.value.path().read_text())
            assert root.tag == "{http://www.w3.org/2000/svg}svg"
            assert "var(" not in saved.value.path().read_text()
    page = open_page(f"{site}/runs/1")
    with page.expect_download() as saved:
        page.locator("#bits").get_by_role("button", name="CSV").click()
    header, *rows = saved.value.path().read_text().splitlines()
    assert header == "round,payload_bits,raw_bits"
    standings = standings_in(store, 1)
    assert sum(int(row.split(",")[1]) for row in rows) == standings.payload_bits
    assert sum(int(row.split(",")[2]) for row in rows) == 64 * standings.samples
