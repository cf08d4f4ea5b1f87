"""Every block of code in README, docs and docstrings runs, or says why not.

`docs_blocks` says how blocks are marked. The blocks of a page run in their order in one folder,
where `examples/` lies too; its Python blocks share their names.
"""

import contextlib
import doctest
import importlib
import inspect
import io
import json
import logging
import random
import re
import shutil
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docs_blocks import PAGES, ROOT, Block, blocks_of
from typer.main import get_command

import bitarm
from bitarm.api.problem import parse_problem
from bitarm.cli.app import make_app, run
from bitarm.core.learner_state import LearnerPhase
from bitarm.core.vocabulary import vocabulary

_BLOCKS = {page: list(blocks_of(page)) for page in PAGES}


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


def _is_run(block: Block) -> bool:
    executed = block.kind == "python" or block.is_shell
    return executed and not block.mark.startswith(("not run", "run by"))


class _Reader:
    """Types what a page says, block after block."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: dict[str, Any] = {"__name__": "__docs__"}
        self._printed = ""

    def follow(self, block: Block) -> None:
        if block.mark.startswith("file: "):
            (self._folder / block.mark.removeprefix("file: ")).write_text(block.text, "utf-8")
        elif block.mark == "prints":
            _compare(block.text, self._printed)
        elif _is_run(block):
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


@pytest.mark.parametrize("page", [page for page in PAGES if any(map(_is_run, _BLOCKS[page]))])
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


def test_what_is_not_run_has_a_reason_and_its_commands_exist() -> None:
    group: Any = get_command(make_app())
    parsed = 0
    for block in _not_run():
        assert len(block.mark.removeprefix("not run:").split()) >= 3, block
        for words in block.commands if block.is_shell else ():
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


def test_what_other_tests_run_is_named_there() -> None:
    for page in PAGES:
        for block in _BLOCKS[page]:
            if block.mark.startswith("run by "):
                test = ROOT / block.mark.removeprefix("run by ")
                files = re.findall(r"[\w-]+\.(?:py|toml)", block.text)
                text = test.read_text("utf-8")
                assert any(name in text for name in (Path(page).name, *files)), block


def test_every_block_of_commands_says_so() -> None:
    """In a page of ours: one without a language may be a picture, so commands are `sh`."""
    kinds = {"", "sh", "python", "toml", "json", "text", "sql", "yaml", "c", "math"}
    typed = re.compile(r"(\.?[\w/]*/)?(python3?|pip|make|git|sudo|docker|pytest|npm)\s")
    for page in PAGES:
        assert {block.kind for block in _BLOCKS[page]} <= kinds, page
        for block in _BLOCKS[page]:
            assert block.kind or not typed.match(block.text), f"{page}, line {block.line}"


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


def _modules_with_examples() -> list[str]:
    source = ROOT / "src"
    found = [file for file in source.glob("bitarm/**/*.py") if ">>> " in file.read_text("utf-8")]
    return [".".join(file.relative_to(source).with_suffix("").parts) for file in found]


@pytest.mark.parametrize("module", _modules_with_examples())
def test_the_examples_of_docstrings_are_true(module: str) -> None:
    done = doctest.testmod(importlib.import_module(module))
    assert done.attempted > 0
    assert done.failed == 0


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


def _examples_of(text: str) -> list[str]:
    """The indented blocks of a docstring that come before its lists."""
    body = text.split("\nArgs:")[0]
    blocks = re.findall(r"(?:^    \S.*\n(?:^(?:    .*)?\n)*)", body + "\n", re.MULTILINE)
    return [textwrap.dedent(block) for block in blocks]


_GIVEN = {"bitarm": bitarm, "random": random, "arms": {"a": [0.1] * 90, "b": [0.9] * 90}}
_SLOW = {"plan", "plan_problem"}  # seconds of simulation: tests/planner
_TOGETHER = {"Learner", "Agent"}  # by the test below


def _public_examples() -> dict[str, str]:
    """Every example of a public name, or of a public method of one, by that name."""
    documented = {name: getattr(bitarm, name) for name in bitarm.__all__}
    for name, value in list(documented.items()):
        if inspect.isclass(value):
            methods = {inner: of for inner, of in vars(value).items() if not inner.startswith("_")}
            documented |= {f"{name}.{inner}": of for inner, of in methods.items()}
    found = {name: _examples_of(inspect.getdoc(value) or "") for name, value in documented.items()}
    return {name: example for name, (example,) in ((n, e) for n, e in found.items() if e)}


_EXAMPLES = _public_examples()


def test_the_public_functions_have_examples() -> None:
    functions = {name for name in bitarm.__all__ if inspect.isfunction(getattr(bitarm, name))}
    assert functions <= _EXAMPLES.keys()


@pytest.mark.parametrize("name", sorted(_EXAMPLES.keys() - _TOGETHER))
def test_the_example_of_a_public_name_runs(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = compile(_EXAMPLES[name], f"bitarm.{name}", "exec")
    monkeypatch.chdir(folder / "examples")
    if name not in _SLOW:
        exec(code, dict(_GIVEN))


def test_the_examples_of_the_machines_run_together() -> None:
    """The loop that a learner's docstring shows, fed by the one of an agent's."""
    learner = bitarm.Learner(bitarm.setup(["a", "b"], delta=0.05, bounds=(0, 1)))
    agents = [bitarm.Agent(learner.run, arm) for arm in (0, 1)]
    (of_learner,) = _examples_of(inspect.getdoc(bitarm.Learner) or "")
    (of_agent,) = _examples_of(inspect.getdoc(bitarm.Agent) or "")

    def next_answer() -> Any:
        request = learner.pending[0]
        names: dict[str, Any] = {
            "Agent": lambda _, arm: agents[arm],
            "run": learner.run,
            "arm": request.arm,
            "request": request,
            "keep": lambda state: None,
            "source": SimpleNamespace(pull=lambda count: [float(request.arm)] * count),
        }
        exec(of_agent, names)
        return names["answers"][0]

    exec(of_learner, {"learner": learner, "LearnerPhase": LearnerPhase, "next_answer": next_answer})
    assert learner.ending is not None
    assert learner.ending.best_arm == 1


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
