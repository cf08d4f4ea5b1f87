"""`bitarm schema`: what it writes into problem files, and what it leaves as it is."""

import json
from importlib import resources
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from cli.program import Command, problem

from bitarm.api.problem import load_problem


def _named(line: str) -> Path:
    mark, uri = line.split()
    assert mark == "#:schema"
    return Path(url2pathname(urlsplit(uri).path))


def test_without_a_file_the_line_is_printed_and_names_a_schema(bitarm: Command) -> None:
    done = bitarm("schema")
    assert (done.code, done.err) == (0, "")
    named = _named(done.out)
    assert json.loads(named.read_text("utf-8"))["title"]
    assert named == Path(str(resources.files("bitarm"))) / "problem.schema.json"


def test_a_file_gets_one_such_line_however_often_it_is_asked_for(
    bitarm: Command, tmp_path: Path
) -> None:
    text = problem()
    file = tmp_path / "own.toml"
    file.write_text(text, "utf-8")
    for _ in range(2):
        done = bitarm("schema", file)
        assert (done.code, done.out) == (0, "")
        line, _, rest = file.read_text("utf-8").partition("\n")
        assert _named(line).is_file()
        assert rest == text


def test_a_new_file_is_the_example_and_runs(bitarm: Command, tmp_path: Path) -> None:
    file = tmp_path / "new.toml"
    assert bitarm("schema", "--new", file).code == 0
    assert len(load_problem(file).arms) == 8
    assert file.read_text("utf-8").count("#:schema") == 1


@pytest.mark.parametrize(("words", "said"), [((), "there is no"), (("--new",), "exists")])
def test_what_it_refuses(
    words: tuple[str, ...], said: str, bitarm: Command, tmp_path: Path
) -> None:
    file = tmp_path / "own.toml"
    if words:
        file.write_text("# mine\n", "utf-8")
    done = bitarm("schema", *words, file)
    assert done.code == 2
    assert said in done.err
    assert not file.exists() or file.read_text("utf-8") == "# mine\n"
