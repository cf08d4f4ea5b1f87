"""The JSON Schema of problem files, for editors: made from the words, like the parser's refusals.

It describes the schemes and sources that are known when it is made: bitarm's own, and those of
other packages that were imported by then. What depends on several words at once (a word that is for
another quantizer, growth beside checkpoints) only the parser refuses. Two differences are JSON's:
it does not tell 3.0 from the whole number 3, and has no infinity.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bitarm.api.defaults import Default, default_of
from bitarm.api.sources import SOURCES, Source
from bitarm.api.table_words import ArmWords, FileWords, NetworkWords
from bitarm.core.limits import Limits
from bitarm.core.policies import POLICIES
from bitarm.core.quantizers import CHOICES
from bitarm.core.registry import Registry
from bitarm.core.vocabulary import users, vocabulary
from bitarm.core.widths import WIDTHS
from bitarm.core.words import Declared, WordKind, words_of

Schema = dict[str, Any]

# Only keywords that draft 7 has as well: some editors know no later one.
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NAMED: dict[str, Registry[Any]] = {
    registry.kind: registry for registry in (CHOICES, POLICIES, WIDTHS)
}
_TYPES: dict[WordKind, str | list[str]] = {
    WordKind.NUMBER: "number",
    WordKind.WHOLE: "integer",
    WordKind.FLAG: "boolean",
    WordKind.TEXT: "string",
    WordKind.RANGE: "array",
    WordKind.WHOLES: "array",
    WordKind.COMMAND: ["string", "array"],
}
_ITEMS = {WordKind.RANGE: "number", WordKind.WHOLES: "integer", WordKind.COMMAND: "string"}


def problem_schema() -> Schema:
    """A JSON Schema (draft 2020-12) of the problem files that `load_problem` reads."""
    tables = {
        "problem": _table(
            "What is asked, and what is known of the rewards",
            _of_runs("problem") | _plain(words_of(FileWords)),
        ),
        "arm": {
            "description": "The options, an [[arm]] table each",
            "type": "array",
            "items": _arm(),
        },
        "scheme": _table("How messages are made and decisions taken", _of_runs("scheme")),
        "limits": _table("Where a run must end even without an answer", _plain(words_of(Limits))),
        "network": _table("Of a run over a broker", _plain(words_of(NetworkWords))),
    }
    return {
        "$schema": _DIALECT,
        "title": "A problem file of bitarm",
        "type": "object",
        "properties": tables,
        "additionalProperties": False,
    }


def _word(declared: Declared, default: Default | None) -> Schema:
    """The schema of one word: its help, its type, its range or its choices, and its default."""
    schema: Schema = {"description": declared.word.help, "type": _TYPES[declared.kind]}
    if declared.kind in _ITEMS:
        schema["items"] = {"type": _ITEMS[declared.kind], **_range(declared)}
        if declared.kind is WordKind.RANGE:
            schema |= {"minItems": 2, "maxItems": 2}
    else:
        schema |= _range(declared)
    if declared.choices:
        schema["enum"] = list(declared.choices)
    if default is not None and _is_json(declared, default.only):
        schema["default"] = default.only
    elif default is not None:
        schema["description"] += f"; by default {default}"
    return schema


def _of_runs(table: str) -> dict[str, Schema]:
    """The words of [problem] or [scheme], which flags and calls have as well."""
    known = vocabulary()
    return {
        name: _word(_told(known[name]), default_of(known[name])) for name in known.of_table(table)
    }


def _told(declared: Declared) -> Declared:
    """The word with whose it is in its help; one that names a scheme with the names there are."""
    word, whose = declared.word, users(declared.name)
    if whose:
        return replace(declared, word=replace(word, help=f"{word.help} ({', '.join(whose)})"))
    if declared.name in _NAMED:
        refused = vocabulary().refused
        known = _NAMED[declared.name].known
        names = tuple(name for name, member in known.items() if member not in refused)
        named = replace(word, help=f"The {declared.name} by its name")
        return replace(declared, choices=names, word=named)
    return declared


def _plain(words: Mapping[str, Declared]) -> dict[str, Schema]:
    """Words whose default stands at their field, and that belong to no scheme."""
    return {name: _word(declared, _at_field(declared)) for name, declared in words.items()}


def _at_field(declared: Declared) -> Default | None:
    return None if declared.default is None else Default((("", declared.default),))


def _table(description: str, words: Mapping[str, Schema]) -> Schema:
    return {
        "description": description,
        "type": "object",
        "properties": dict(words),
        "additionalProperties": False,
    }


def _arm() -> Schema:
    """An [[arm]] table: what every arm has, then what its source needs and allows.

    The words of all sources stand among its properties with their help alone, where editors look
    for what to offer; their types and which of them are needed follow from the source.
    """
    every = _plain(words_of(ArmWords))
    every["source"]["enum"] = list(SOURCES.known)
    of_sources: dict[str, Schema] = {}
    for word, by_source in _words_of_sources().items():
        texts = dict.fromkeys(declared.word.help for declared in by_source.values())
        of_sources[word] = {"description": f"{'; '.join(texts)} ({', '.join(by_source)})"}
    return {
        "type": "object",
        "properties": every | of_sources,
        "required": [name for name, declared in words_of(ArmWords).items() if declared.required],
        "allOf": [_if_source(name, kind) for name, kind in SOURCES.known.items()],
    }


def _words_of_sources() -> dict[str, dict[str, Declared]]:
    """Every word of a source, with the sources that have it."""
    found: dict[str, dict[str, Declared]] = {}
    for name, kind in SOURCES.known.items():
        for word, declared in words_of(kind).items():
            found.setdefault(word, {})[name] = declared
    return found


def _if_source(name: str, kind: type[Source]) -> Schema:
    words = words_of(kind)
    common = dict.fromkeys(words_of(ArmWords), True)
    return {
        "if": {"properties": {"source": {"const": name}}, "required": ["source"]},
        "then": {
            "properties": common | _plain(words),
            "required": [word for word, declared in words.items() if declared.required],
            "additionalProperties": False,
        },
    }


def _range(declared: Declared) -> Schema:
    word = declared.word
    limits = {
        "minimum": word.least,
        "exclusiveMinimum": word.above,
        "maximum": word.most,
        "exclusiveMaximum": word.below,
    }
    return {name: limit for name, limit in limits.items() if limit is not None}


def _is_json(declared: Declared, value: Any) -> bool:
    """Whether a default can be said in JSON: not one in words, nor infinity."""
    if value is None or (isinstance(value, float) and math.isinf(value)):
        return False
    return declared.kind in (WordKind.TEXT, WordKind.COMMAND) or not isinstance(value, str)
