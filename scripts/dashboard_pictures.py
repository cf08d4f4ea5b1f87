"""The pictures of docs/dashboard.md, made anew: .venv/bin/python scripts/dashboard_pictures.py."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import FloatRect, Page, sync_playwright

PICTURES = Path(__file__).parent.parent / "docs" / "dashboard"
BITARM = (sys.executable, "-m", "bitarm")
SCHEMES = (("dyadic",), ("icq", "--bits", "3"), ("quban",), ("exact",))


def main() -> None:
    """Make a few runs, show them, and take their pictures."""
    folder = Path(tempfile.mkdtemp())
    store, sweep = folder / "runs.sqlite", folder / "sweep.json"
    for seed, scheme in enumerate(SCHEMES, start=1):
        _quietly("identify", "--store", store, "--seed", seed, "--json", "--quantizer", *scheme)
    _quietly("identify", "--store", store, "--seed", 9, "--json", "--max-rounds", 7)
    arms = ("--arms", "gaussian:0,0,0,0,0.4", "--sd", 0.125, "--delta", 0.01)
    made = _quietly("simulate", *arms, "--quantizer", "icq,quban", "--bits", "2,3", "--json")
    sweep.write_text(json.dumps(json.loads(made)))
    with _served(store) as address, sync_playwright() as playwright:
        chromium = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 1180}, color_scheme="light")
        _picture(page, f"{address}runs/1", "#race .best", "run", height=1380)
        page.locator("#moment").fill("60")
        page.locator("[data-frames]").nth(1).click()
        page.locator(".frame").screenshot(path=PICTURES / "frame.png")
        _picture(page, address, "#runs tbody a", "runs", height=480)
        _picture(page, f"{address}explain", "#bins .bin", "explain", height=860)
        page.goto(f"{address}compare?runs=1,2,3,4")
        page.set_input_files("#files", sweep)
        page.wait_for_selector("#prices .simulation")
        page.screenshot(path=PICTURES / "compare.png", clip=_top(860))
        browser.close()
    shutil.rmtree(folder)


def _quietly(*words: object) -> str:
    done = subprocess.run([*BITARM, *map(str, words)], stdout=subprocess.PIPE, text=True)
    return done.stdout


@contextmanager
def _served(store: Path) -> Iterator[str]:
    process = subprocess.Popen(
        [*BITARM, "dashboard", "--store", str(store), "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    yield process.stdout.readline().strip()
    process.terminate()
    process.wait()


def _picture(page: Page, address: str, drawn: str, name: str, *, height: int) -> None:
    page.goto(address)
    page.wait_for_selector(drawn, state="attached")
    page.wait_for_timeout(500)  # the last chart follows within a frame
    page.screenshot(path=PICTURES / f"{name}.png", full_page=True, clip=_top(height))


def _top(height: int) -> FloatRect:
    return {"x": 0, "y": 0, "width": 1100, "height": height}


if __name__ == "__main__":
    main()
