"""Every block of code in README and docs runs, or says why not (docstrings: test_docstrings.py).

`docs_blocks` says how blocks are marked. The blocks of a page run in their order in one folder,
where `examples/` lies too; its Python blocks share their names.
"""

import contextlib
import io
import json
import logging
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from docs_blocks import PAGES, ROOT, Block, blocks_of, objections
from typer.main import get_command

from bitarm.api.problem import parse_problem
from bitarm.cli.app import make_app, run
from bitarm.core.vocabulary import vocabulary

_BLOCKS = {page: blocks_of(page) for page in PAGES}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A reader's folder: the examples, an empty journal, a screen of 80 columns."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for name, value in {
        "COLUMNS": "80",
        "MPLBACKEND": "Agg",
        "TERM": "xterm",
        "XDG_DATA_HOME": str(tmp_path / ".data"),
        "XDG_CACHE_HOME": str(tmp_path / ".cache"),
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    modules = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - modules:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
    logging.getLogger("bitarm").handlers = []


class _Reader:
    """Types what a page says, block after block."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: dict[str, Any] = {"__name__": "__docs__"}
        self._printed = ""

    def follow(self, block: Block) -> None:
        if block.run_by:
            return
        if block.mark.startswith("file: "):
            (self._folder / block.mark.removeprefix("file: ")).write_text(block.text, "utf-8")
        elif block.mark == "prints":
            _compare(block.text, self._printed)
        elif block.is_run:
            with contextlib.redirect_stdout(io.StringIO()) as out:
                if block.kind == "python":
                    exec(compile(block.text, f"{block.page}:{block.line}", "exec"), self._names)
                else:
                    self._type(block)
            self._printed = out.getvalue()
        elif block.kind == "toml" and not block.mark:
            _check_problem(block.text)
        elif block.kind == "json" and not block.mark:
            json.loads(block.text)

    def _type(self, block: Block) -> None:
        expected = int(block.mark.removeprefix("exits ")) if block.mark else 0
        *_, last = commands = block.commands
        for words in commands:
            assert words[0] == "bitarm", f"mark this block: {words[0]} is not run here"
            errors = io.StringIO()
            with contextlib.redirect_stderr(errors), pytest.MonkeyPatch.context() as patch:
                patch.setattr(sys, "argv", words)
                code = int(run())
            due = expected if words is last else 0
            assert code == due, f"{' '.join(words)}: exit code {code}\n{errors.getvalue()}"
            print(errors.getvalue() if due else "", end="")  # its complaint is what it printed


def _check_problem(text: str) -> None:
    tables = tomllib.loads(text)
    if "arm" in tables and all("source" in arm for arm in tables["arm"]):
        parse_problem(text, folder=Path())


def _compare(shown: str, printed: str) -> None:
    """Line by line, in order; … skips."""
    rest = iter([line.rstrip() for line in printed.splitlines()])
    skipping = False
    for line in (line.rstrip() for line in shown.splitlines()):
        if line.strip() == "…":
            skipping = True
            continue
        for other in rest:
            if other == line:
                break
            assert skipping or not other, f"expected {line!r}, got {other!r}\n{printed}"
        else:
            raise AssertionError(f"{line!r} was not printed:\n{printed}")
        skipping = False


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(block.is_run for block in _BLOCKS[page])]
)
def test_the_page_can_be_followed(page: str, folder: Path) -> None:
    reader = _Reader(folder)
    for block in _BLOCKS[page]:
        try:
            reader.follow(block)
        except BaseException as error:
            error.add_note(f"{page}, line {block.line}")
            raise


def _not_run() -> list[Block]:
    found = [block for page in PAGES for block in _BLOCKS[page]]
    return [block for block in found if block.mark.startswith("not run")]


def test_the_commands_of_what_is_not_run_exist() -> None:
    group: Any = get_command(make_app())
    parsed = 0
    for block in _not_run():
        for words in block.commands if block.kind == "sh" else ():
            if words[0] == "bitarm":
                _parse(group, words[1:], f"{block.page}:{block.line}")
                parsed += 1
    assert parsed > 10


def _parse(command: Any, words: list[str], place: str) -> None:
    rest = list(words)
    while rest and rest[0] in getattr(command, "commands", ()):
        command = command.commands[rest.pop(0)]
    try:
        with command.make_context(command.name, rest):
            pass
    except Exception as error:
        error.add_note(f"{place}: bitarm {' '.join(words)}")
        raise


def test_what_is_left_to_another_test_is_taken_by_it() -> None:
    named = {block.run_by for blocks in _BLOCKS.values() for block in blocks if block.run_by}
    tests = "".join(file.read_text("utf-8") for file in (ROOT / "tests").rglob("*.py"))
    for test in named:
        assert (ROOT / test).is_file(), test
        assert f'blocks_run_by("{test}")' in tests, test


@pytest.mark.parametrize("page", PAGES)
def test_no_block_of_a_page_is_shown_and_not_checked(page: str) -> None:
    assert objections(page, (ROOT / page).read_text("utf-8")) == []


_RAN = "```python\nprint(1)\n```\n"


@pytest.mark.parametrize(
    ("block", "objection"),
    [
        ("```\nx\n```", "say what it is"),
        ("``` sh\nmake run\n```", "say what it is"),
        ("```console\n$ make run\n```", "say what it is"),
        ("```text\nbitarm identify --seed 1\n```", "typed by somebody"),
        ("```text\n$ pip install bitarm\n```", "typed by somebody"),
        ("```text\nimport bitarm\n```", "typed by somebody"),
        ("```yaml\na: b\n```", "nobody checks yaml"),
        ("<!-- not run -->\n```sh\nmake run\n```", "no such mark"),
        ("<!-- not run: why? -->\n```sh\nmake run\n```", "no such mark"),
        ("<!-- for the brave -->\n```toml\n= 1\n```", "no such mark"),
        ("<!-- prints -->\n```python\nprint(2)\n```", "is for text"),
        ("<!-- exits 2 -->\n```python\nprint(2)\n```", "is for sh"),
        (f"{_RAN}\n```text\n2\n```", "mark it: prints"),
        ("~~~sh\nmake run\n~~~", "not fenced"),
        ("Then\n\n    make run\n", "not fenced"),
        ("<pre>make run</pre>", "not fenced"),
    ],
)
def test_a_block_that_would_escape_is_objected_to(block: str, objection: str) -> None:
    (said,) = objections("docs/a_page.md", f"# A page\n\n{block}\n")
    assert objection in said


def test_blocks_that_are_checked_are_not_objected_to() -> None:
    printed = "<!-- prints -->\n```text\n1\n```\n"
    formula = "```text\nx = y\n```\n"
    assert objections("docs/a_page.md", f"{_RAN}\n{printed}\nA formula:\n\n{formula}") == []


def test_a_block_without_a_mark_is_run_and_its_failure_is_the_test_s(folder: Path) -> None:
    reader = _Reader(folder)
    wrong = Block(page="docs/a_page.md", line=1, mark="", kind="python", text="1 / 0\n")
    with pytest.raises(ZeroDivisionError):
        reader.follow(wrong)
    with pytest.raises(AssertionError, match="exit code 2"):
        reader.follow(replace(wrong, kind="sh", text="bitarm identify --delta 2\n"))
    with pytest.raises(AssertionError, match="is not run here"):
        reader.follow(replace(wrong, kind="sh", text="make run\n"))
    with pytest.raises(tomllib.TOMLDecodeError):
        reader.follow(replace(wrong, kind="toml", text="= 1\n"))


def test_commands_within_sentences_exist() -> None:
    """`bitarm plan --per-downlink`: the command, its parts and its flags."""
    group: Any = get_command(make_app())
    checked = 0
    for page in PAGES:
        prose = re.sub(r"(?s)```.*?```", "", (ROOT / page).read_text("utf-8"))
        for said in re.findall(r"`bitarm ([a-z][^`]*)`", prose):
            words, command = said.split(), group
            while words and words[0] in getattr(command, "commands", ()):
                command = command.commands[words.pop(0)]
            assert command is not group, f"{page}: bitarm {said}"
            known = {
                flag for option in command.params for flag in (*option.opts, *option.secondary_opts)
            }
            asked = {word for word in words if word.startswith("--")}
            assert asked <= known, f"{page}: bitarm {said}"
            checked += 1
    assert checked > 50


def test_no_page_names_a_file_that_is_not_there() -> None:
    """`scripts/x.py`, `tests/x/test_y.py`, `examples/z.toml`: as the pages write them."""
    place = re.compile(r"(?<![\w/.-])((?:scripts|tests|examples|benchmarks|deploy)/[\w/.-]*\w)")
    missing = {
        f"{page}: {path}"
        for page in PAGES
        for path in place.findall((ROOT / page).read_text("utf-8"))
        if not list(ROOT.glob(f"{path}*"))
    }
    assert not missing


def test_the_fields_of_json_are_on_their_page(folder: Path) -> None:
    """Every field that is printed and is no word, and no field that is not there."""
    page = (ROOT / "docs" / "reference" / "json.md").read_text("utf-8")
    rows = re.findall(r"^\| (`[^|]+) \|", page, re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    run_fields = _json("identify", "--seed", "1", "--json", "--link", "lorawan-eu868-dr0")
    sweep = _json("simulate", "--arms", "bernoulli:0.9,0.1", "--trials", "5", "--json")
    words = set(vocabulary().words)
    found = {*run_fields, *run_fields["arms"][0], *sweep["results"][0]} - words
    assert found == told


def _json(*words: str) -> dict[str, Any]:
    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(sys, "argv", ["bitarm", *words])
        assert run() == 0
    loaded: dict[str, Any] = json.loads(out.getvalue())
    return loaded
