"""`bitarm simulate --plot`: a real picture that names its axes and shows every setting."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from cli.program import Command
from matplotlib import image
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

pytestmark = pytest.mark.slow  # seconds each: `make test-fast` leaves them out

_COINS = ("simulate", "--arms", "bernoulli:0.7,0.4", "--seed", "1", "--trials", "20")


def _texts(path: Path) -> list[str]:
    """What is written in a picture; letters are drawn as paths, with the text as a comment."""
    svg = path.read_text(encoding="utf-8")
    assert ElementTree.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"
    return re.findall(r"<!-- (.*?) -->", svg)


def test_a_png_is_a_picture(tmp_path: Path, bitarm: Command) -> None:
    path = tmp_path / "sweep.png"
    done = bitarm(*_COINS, "--delta", "0.1,0.01", "--plot", path)
    assert done.code == 0, done.err
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    pixels = image.imread(path)
    assert pixels.shape[0] > 300
    assert pixels.shape[1] > 1000
    assert pixels.std() > 0.01


@pytest.mark.parametrize(
    ("words", "axis"),
    [
        (("--delta", "0.1,0.01,0.001"), "delta"),
        (("--growth", "2,3,4"), "growth"),
        (("--quantizer", "icq", "--bits", "1,2,3"), "bits"),
        (("--sigma", "0.5,0.6"), "sigma"),
        (("--epsilon", "0,0.1"), "epsilon"),
        (("--first", "2,3"), "first"),
        (("--quantizer", "quban", "--epsilon-quban", "0.5,1"), "epsilon_quban"),
    ],
)
def test_the_word_that_varies_is_the_horizontal_axis_of_a_panel_for_each_measure(
    tmp_path: Path, bitarm: Command, words: tuple[str, ...], axis: str
) -> None:
    path = tmp_path / "sweep.svg"
    done = bitarm(*_COINS, *words, "--plot", path)
    assert done.code == 0, done.err
    texts = _texts(path)
    assert texts.count(axis) == 3
    for measure in ("rounds", "samples", "payload_bits"):
        assert measure in texts


def test_each_curve_is_named_by_what_tells_it_from_the_others(
    tmp_path: Path, bitarm: Command
) -> None:
    path = tmp_path / "sweep.svg"
    words = ("--delta", "0.1,0.01,0.001", "--quantizer", "exact,icq", "--bits", "2,3")
    done = bitarm(*_COINS, *words, "--plot", path)
    assert done.code == 0, done.err
    texts = _texts(path)
    assert texts.count("delta") == 3
    for name in ("exact", "icq, B=2", "icq, B=3"):
        assert name in texts


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--quantizer", "exact,icq"),
        ("--quantizer", "exact,icq,quban"),
        ("--quantizer", "exact,icq", "--bits", "1,2,3"),
        ("--quantizer", "icq,quban", "--epsilon-quban", "0.5,1,2"),
        ("--policy", "se,lucb"),
        ("--max-rounds", "30,40"),
    ],
    ids=" ".join,
)
def test_every_setting_is_drawn_and_named(
    tmp_path: Path, bitarm: Command, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    figures: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: figures.append(figure))
    done = bitarm(*_COINS, *words, "--json", "--plot", tmp_path / "sweep.svg")
    assert done.code == 0, done.err
    (figure,) = figures
    for panel in figure.axes:
        heights: set[float] = set()
        for handle in panel.get_legend_handles_labels()[0]:
            line = handle.lines[0] if isinstance(handle, ErrorbarContainer) else handle
            assert isinstance(line, Line2D)
            heights |= set(np.asarray(line.get_ydata(), dtype=np.float64).tolist())
        for point in done.json["results"]:
            assert point[panel.get_title()]["mean"] in heights


def test_the_results_are_printed_too(tmp_path: Path, bitarm: Command) -> None:
    plain = bitarm(*_COINS, "--json")
    drawn = bitarm(*_COINS, "--json", "--plot", tmp_path / "sweep.svg")
    assert drawn.out == plain.out


@pytest.mark.parametrize("name", ["missing/sweep.svg", "sweep.docx", "folder.svg"])
def test_a_plot_that_cannot_be_written_is_said_and_named(
    tmp_path: Path, bitarm: Command, name: str
) -> None:
    (tmp_path / "folder.svg").mkdir()
    done = bitarm(*_COINS, "--plot", tmp_path / name)
    assert done.code == 2
    assert "the plot cannot be written to" in done.err
    assert name in done.err
    assert "Traceback" not in done.err
