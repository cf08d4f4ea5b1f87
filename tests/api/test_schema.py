"""The schema of problem files: current, and of one mind with the parser."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, ClassVar, final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator, meta

from bitarm import load_problem
from bitarm.api.fleet import fleet_of
from bitarm.api.schema import problem_schema
from bitarm.api.sources import SOURCES, Place, Source
from bitarm.api.table_words import ArmWords, FileWords, NetworkWords
from bitarm.core.limits import Limits
from bitarm.core.policies import POLICIES
from bitarm.core.quantizers import CHOICES
from bitarm.core.registry import Offer, Registry
from bitarm.core.rewards import RewardSource
from bitarm.core.vocabulary import users, vocabulary
from bitarm.core.widths import WIDTHS
from bitarm.core.words import Declared, Word, WordKind, words_of
from bitarm.errors import ConfigError

HOME = Path(__file__).parents[2]
_SCHEMA = problem_schema()
_VALIDATOR = Draft202012Validator(_SCHEMA)
_EXAMPLES = sorted((HOME / "examples").glob("*.toml"))
_PAGES = [HOME / "README.md", *sorted((HOME / "docs").glob("**/*.md"))]


def test_the_file_is_current() -> None:
    """As `scripts/make_schema.py` would write it now."""
    printed = subprocess.run(
        [sys.executable, "-c", "import make_schema; print(make_schema.page(), end='')"],
        cwd=HOME / "scripts",
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    packaged = resources.files("bitarm").joinpath("problem.schema.json").read_text("utf-8")
    assert packaged == printed


def test_it_is_a_schema() -> None:
    meta.validate(_SCHEMA)


# -- what there is ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "file", [*_EXAMPLES, HOME / "src" / "bitarm" / "cli" / "gateways.toml"], ids=str
)
def test_every_problem_of_the_tree_is_valid(file: Path) -> None:
    _VALIDATOR.validate(tomllib.loads(file.read_text("utf-8")))


@pytest.mark.parametrize(
    "file", [*_EXAMPLES, HOME / "src" / "bitarm" / "cli" / "gateways.toml"], ids=str
)
def test_every_example_names_the_schema_for_editors(file: Path) -> None:
    first = file.read_text("utf-8").splitlines()[0]
    named = re.fullmatch(r"#:schema (\S+)", first)
    assert named is not None
    assert (file.parent / named[1]).resolve() == HOME / "src" / "bitarm" / "problem.schema.json"


def _problems_of_pages() -> Iterator[str]:
    for page in _PAGES:
        for block in re.findall(r"```toml\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            if "[[arm]]" in block:
                yield block


def test_every_problem_of_the_docs_is_valid() -> None:
    blocks = list(_problems_of_pages())
    assert len(blocks) >= 3
    for block in blocks:
        _VALIDATOR.validate(tomllib.loads(block))


# -- what is wrong ---------------------------------------------------------------------------------

_ARM: Mapping[str, Any] = {"source": "gaussian", "mean": 0.5, "sd": 1}
Tables = dict[str, Any]


def _tables(arm: Mapping[str, Any] = _ARM, **tables: Mapping[str, Any]) -> Tables:
    """A problem of two arms, the second of which is the one given."""
    rest = {"problem": {"bounds": [0, 1]}} | {name: dict(table) for name, table in tables.items()}
    return {**rest, "arm": [dict(_ARM), dict(arm)]}


def _written(tables: Tables) -> str:
    lines = []
    for name, table in tables.items():
        for one in table if name == "arm" else [table]:
            lines.append("[[arm]]" if name == "arm" else f"[{name}]")
            lines += [f"{word} = {json.dumps(value)}" for word, value in one.items()]
    return "\n".join(lines)


def _use(tables: Tables, folder: Path) -> None:
    """Read it and do with it what the commands do, up to the first pull."""
    file = folder / "problem.toml"
    file.write_text(_written(tables), "utf-8")
    assert tomllib.loads(file.read_text("utf-8")) == tables
    problem = load_problem(file)
    problem.setup(seed=1)
    problem.sources(seed=1)
    fleet_of(problem, "lab")


_RIGHT = {
    "nothing but arms": _tables(),
    "every kind of word": _tables(
        problem={"delta": 0.1, "sigma": 1, "epsilon": 0, "bounds": [0, 1.5], "clip": True},
        scheme={"quantizer": "icq", "bits": 4, "policy": "lucb", "checkpoints": [1, 5]},
        limits={"rounds": 3},
        network={"lost": "drop", "lost_after": 3, "link": "nb-iot", "via": "mqtt"},
    ),
    "an arm with every common word": _tables(
        {**_ARM, "name": "a", "agent": "gw-1", "device": "0102030405060708"}
    ),
    "a command as a list": _tables({"source": "command", "command": ["echo", "1"]}),
    "a model by default": _tables({"source": "beta", "mean": 0.5}),
}
_WRONG = {
    "a text for a number": (_tables(problem={"sigma": "high"}), "sigma must be a number"),
    "a flag for a number": (_tables(problem={"sigma": True}), "sigma must be a number"),
    "a fraction for a whole number": (_tables(limits={"rounds": 1.5}), "rounds must be a whole"),
    "a number for a flag": (_tables(problem={"clip": 1}), "clip must be true or false"),
    "a number for a text": (_tables(network={"via": 3}), "via must be a text"),
    "one bound": (_tables(problem={"bounds": [0]}), "bounds must be two numbers"),
    "a text among bounds": (_tables(problem={"bounds": [0, "1"]}), "bounds must be a number"),
    "an unknown table": (_tables(schema={}), "a table must be one of"),
    "an unknown word": (_tables(problem={"dleta": 0.1}), "did you mean delta"),
    "a word of another table": (_tables(problem={"bits": 3}), r"a word of \[problem\]"),
    "an unknown limit": (_tables(limits={"round": 3}), "did you mean rounds"),
    "an unknown word of the network": (_tables(network={"lots": "drop"}), "did you mean lost"),
    "an unknown quantizer": (_tables(scheme={"quantizer": "icp"}), "did you mean icq"),
    "an unknown policy": (_tables(scheme={"policy": "lcub"}), "did you mean lucb"),
    "an unknown width": (_tables(scheme={"width": "papers"}), "did you mean paper"),
    "an unknown prior": (_tables(scheme={"quantizer": "icq", "prior": "x"}), "prior must be one"),
    "an unknown rule": (_tables(network={"lost": "weep"}), "lost must be one of wait"),
    "an unknown link": (_tables(network={"link": "lora"}), "link must be one of lorawan-eu868-dr0"),
    "an unknown way": (_tables(network={"via": "post"}), "via must be one of mqtt"),
    "no source": (_tables({"mean": 0.5}), "it needs a source, .* one of"),
    "source misspelt": (_tables({"sorce": "beta"}), "is 'sorce' meant to be 'source'"),
    "an unknown source": (_tables({"source": "gauss", "mean": 1}), "did you mean gaussian"),
    "a source without its word": (_tables({"source": "gaussian", "mean": 0}), "needs sd"),
    "a word of another source": (_tables({**_ARM, "column": "a"}), "a word of a gaussian arm"),
    "a text for a source's number": (_tables({**_ARM, "sd": "1"}), "sd must be a number"),
    "a command of numbers": (_tables({"source": "command", "command": [1]}), "must be a text"),
    "a command that is none": (
        _tables({"source": "command", "command": 1}),
        "a line for the shell",
    ),
    "a name that is none": (_tables({**_ARM, "name": 3}), "name of an arm must be a text"),
}


@pytest.mark.parametrize("tables", _RIGHT.values(), ids=_RIGHT)
def test_a_right_file_is_accepted_by_both(tables: Tables, tmp_path: Path) -> None:
    _VALIDATOR.validate(tables)
    _use(tables, tmp_path)


@pytest.mark.parametrize(("tables", "said"), _WRONG.values(), ids=_WRONG)
def test_a_wrong_file_is_refused_by_both(tables: Tables, said: str, tmp_path: Path) -> None:
    assert not _VALIDATOR.is_valid(tables)
    with pytest.raises(ConfigError, match=said):
        _use(tables, tmp_path)


# -- ranges: a word may be checked elsewhere than by its declaration -------------------------------


def _outside(declared: Declared) -> list[float]:
    """The nearest values that its range leaves out."""
    word = declared.word
    step = 1 if declared.kind in (WordKind.WHOLE, WordKind.WHOLES) else 1e-9
    ends = (word.above, word.below, _moved(word.least, -step), _moved(word.most, step))
    return [end for end in ends if end is not None]


def _moved(end: float | None, step: float) -> float | None:
    return None if end is None else end + step


def _around(word: str) -> dict[str, dict[str, Any]]:
    """A problem and a scheme to which a word applies."""
    problem: dict[str, Any] = {"bounds": [0, 1]}
    scheme: dict[str, Any] = {}
    for user in users(word)[:1]:
        scheme["quantizer" if user in CHOICES.own else "policy"] = user
    if word in ("pull_budget", "bit_budget", "interval_delta"):
        problem["pull_budget"] = 60
        scheme["quantizer"] = "icq"
    return {"problem": problem, "scheme": scheme}


def _out_of_range() -> Iterator[Any]:
    for name in vocabulary().words:
        declared = vocabulary()[name]
        for value in _outside(declared):
            table, word = declared.word.table, name
            if name.startswith("max_"):
                table, word = "limits", name.removeprefix("max_")
            tables = {"limits": {}, **_around(name)}
            tables[table][word] = [value] if declared.kind is WordKind.WHOLES else value
            yield pytest.param(_tables(**tables), word, id=f"{name} {value}")
    for name, declared in words_of(NetworkWords).items():
        for value in _outside(declared):
            yield pytest.param(_tables(network={name: value}), name, id=f"{name} {value}")
    for kind in SOURCES.own.values():
        fitting: dict[str, Any]
        fitting = {
            word: 0.5
            for word, declared in words_of(kind).items()
            if declared.kind is WordKind.NUMBER
        }
        fitting |= {"command": "true"} if kind.name == "command" else {}
        for name, declared in words_of(kind).items():
            for value in _outside(declared):
                arm = {"source": kind.name, **fitting, name: value}
                yield pytest.param(_tables(arm), name, id=f"{kind.name} {name} {value}")


@pytest.mark.parametrize(("tables", "word"), list(_out_of_range()))
def test_both_refuse_the_nearest_value_outside_a_range(
    tables: Tables, word: str, tmp_path: Path
) -> None:
    assert not _VALIDATOR.is_valid(tables)
    with pytest.raises(ConfigError, match=word):
        _use(tables, tmp_path)


# -- word by word ----------------------------------------------------------------------------------


def _single_words() -> Iterator[tuple[Declared, dict[str, Any]]]:
    """Every word whose value stands for itself, with its schema."""
    tables = _SCHEMA["properties"]
    for name, declared in vocabulary().words.items():
        if not name.startswith("max_"):
            yield declared, tables[declared.word.table]["properties"][name]
    for table, owner in (("limits", Limits), ("network", NetworkWords), ("problem", FileWords)):
        for name, declared in words_of(owner).items():
            yield declared, tables[table]["properties"][name]
    arm = tables["arm"]["items"]
    for name, declared in words_of(ArmWords).items():
        yield declared, arm["properties"][name]
    for condition in arm["allOf"]:
        source = condition["if"]["properties"]["source"]["const"]
        for name, declared in words_of(SOURCES[source]).items():
            yield declared, condition["then"]["properties"][name]


_SINGLE = [
    (declared, schema)
    for declared, schema in _single_words()
    if declared.kind is not WordKind.WHOLES
]
_NAMES: dict[str, Registry[Any]] = {
    "quantizer": CHOICES,
    "policy": POLICIES,
    "width": WIDTHS,
    "source": SOURCES,
}
_VALIDATORS = [Draft202012Validator(schema) for _, schema in _SINGLE]

_numbers = st.integers(-(10**15), 10**15) | st.floats(allow_nan=False, allow_infinity=False)
_near = st.integers(-2, 40) | st.floats(-2, 2)
_texts = st.text(max_size=4) | st.sampled_from(
    [*CHOICES.own, *POLICIES.own, *WIDTHS.own, *SOURCES.own, "uniform", "wait", "mqtt", "none"]
)
_simple = _near | _numbers | st.booleans() | _texts
_values = _simple | st.lists(_simple, max_size=3) | st.dictionaries(_texts, _simple, max_size=1)


def _parser_accepts(declared: Declared, value: Any) -> bool:
    try:
        taken = declared.taker(declared.name, value)
        declared.check(taken)
    except ConfigError:
        return False
    return declared.name not in _NAMES or taken in _NAMES[declared.name]


@given(which=st.integers(0, len(_SINGLE) - 1), value=_values)
def test_schema_and_parser_agree_on_single_words(which: int, value: Any) -> None:
    declared, _ = _SINGLE[which]
    whole = declared.kind is WordKind.WHOLE and isinstance(value, float) and value.is_integer()
    assume(not whole)  # 3.0 is an integer in JSON Schema, and no whole number in TOML
    assert _VALIDATORS[which].is_valid(value) == _parser_accepts(declared, value)


@pytest.mark.parametrize(
    ("declared", "schema"), _SINGLE, ids=[declared.name for declared, _ in _SINGLE]
)
def test_schema_and_parser_agree_on_plain_values(
    declared: Declared, schema: dict[str, Any]
) -> None:
    """The same for values of which every word sees every one."""
    validator = Draft202012Validator(schema)
    values = [0, 1, 2, 33, -1, 10**12, 10**12 + 1, 0.5, 1.5, -0.5, 1e-300, True, False, "", "x"]
    values += [*declared.choices, [], [1], [1, 2], [0.5, 2], ["a"], ["a", "b"], [True, 1], {}]
    for value in values:
        assert validator.is_valid(value) == _parser_accepts(declared, value), value


def test_a_default_is_valid() -> None:
    told = [schema for _, schema in _SINGLE if "default" in schema]
    assert len(told) > 10
    for schema in told:
        Draft202012Validator(schema).validate(schema["default"])


# -- other packages --------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Sawtooth(Source):
    """Rewards as another package might have them."""

    name: ClassVar[str] = "sawtooth"

    teeth: Annotated[int, Word("How many", table="arm", least=2)]

    def open(self, place: Place) -> RewardSource:
        raise NotImplementedError


def test_what_other_packages_offer_is_in_it_once_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    offer = Offer(name="sawtooth", package="saw", version="1", load=lambda: Sawtooth)
    arm = {"source": "sawtooth", "teeth": 3}
    SOURCES.forget()
    try:
        monkeypatch.setattr(SOURCES, "_find", lambda group: [offer])
        assert not Draft202012Validator(problem_schema()).is_valid(_tables(arm))
        assert SOURCES.import_all() == []
        validator = Draft202012Validator(problem_schema())
        assert validator.is_valid(_tables(arm))
        assert not validator.is_valid(_tables(arm | {"teeth": 1}))
        assert not validator.is_valid(_tables({"source": "sawtooth"}))
    finally:
        SOURCES.forget()
