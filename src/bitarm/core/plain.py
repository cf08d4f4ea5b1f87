"""Frozen values as plain JSON types and back, exactly: specs, events, saved machine states.

A class with a `name` is one of a family (quantizers, policies, schedules, events): its plain form
carries that name, and reading it back looks the name up in the family's list. Floats survive to
the last bit, infinities as strings.
"""

import dataclasses
import json
import math
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache, reduce
from operator import or_
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from bitarm.errors import ConfigError, LocalProtocolError

Families = Mapping[Any, Mapping[str, type]]
"""For each family's type (as it stands in an annotation), its classes by name."""


def to_plain(value: Any) -> Any:
    """`value` as dicts, lists, strings, numbers, booleans and None."""
    kind: Any = type(value)
    if kind is int or kind is str:  # the plainest first: most of what is written is numbers
        return value
    if kind is float:
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, tuple):
        return [to_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: to_plain(item) for key, item in value.items()}
    plain = {"name": value.name} if _is_named(kind) else {}
    for key in _stored_fields(kind):
        plain[key] = to_plain(getattr(value, key))
    return plain


def from_plain(wanted: Any, plain: Any, families: Families) -> Any:
    """The value of type `wanted` that `to_plain` turned into `plain`; refuses anything else."""
    if wanted is float:  # the plainest first: most of what is read is numbers
        return _float(plain)
    if wanted is int or wanted is str or wanted is bool:
        if type(plain) is not wanted:
            raise ConfigError(f"expected {wanted.__name__}, got {plain!r}")
        if isinstance(plain, str):
            _require_text(plain)
        return plain
    if wanted in families:
        return _named_member(wanted, plain, families)
    origin, args = _shape(wanted)
    if origin in (Union, UnionType):
        return _optional(args, plain, families)
    if origin is Literal:
        if plain not in args:
            raise ConfigError(f"expected one of {', '.join(map(str, args))}, got {plain!r}")
        return plain
    if origin is tuple:
        return _tuple(args, plain, families)
    if isinstance(wanted, type) and issubclass(wanted, Enum):
        return _enum(wanted, plain)
    return _fields(wanted, plain, families)


def _require_text(plain: str) -> None:
    """JSON can spell half of a character, which no file, topic or hash can hold."""
    try:
        plain.encode()
    except UnicodeEncodeError:
        raise ConfigError(f"expected text that UTF-8 can spell, got {plain!r}") from None


def dumps(value: Any) -> str:
    """Canonical JSON text: one value, one spelling."""
    return dumps_plain(to_plain(value))


def dumps_plain(plain: Any) -> str:
    """Canonical JSON text of a value that is plain already."""
    return _CANONICAL.encode(plain)


# Made once: `json.dumps` would make another for every event of a run.
_CANONICAL = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)


@lru_cache(maxsize=256)
def _shape(wanted: Any) -> tuple[Any, tuple[Any, ...]]:
    return get_origin(wanted), get_args(wanted)


@lru_cache(maxsize=256)
def _stored_fields(cls: Any) -> tuple[str, ...]:
    """Names of the fields that make the value what it is; derived ones are left out."""
    return tuple(field.name for field in dataclasses.fields(cls) if field.init)


@lru_cache(maxsize=256)
def _required_fields(cls: Any) -> frozenset[str]:
    """Names of the fields without a default: what a later version adds has one, so that old text
    stays legible.
    """
    return frozenset(
        field.name
        for field in dataclasses.fields(cls)
        if field.init
        and field.default is dataclasses.MISSING
        and field.default_factory is dataclasses.MISSING
    )


@lru_cache(maxsize=256)
def _is_named(cls: Any) -> bool:
    return isinstance(getattr(cls, "name", None), str)


@lru_cache(maxsize=256)
def _hints_of_fields(cls: Any) -> dict[str, Any]:
    hints = get_type_hints(cls)
    return {key: hints[key] for key in _stored_fields(cls)}


def _named_member(wanted: Any, plain: Any, families: Families) -> Any:
    name = plain.get("name") if isinstance(plain, dict) else None
    if not isinstance(name, str) or name not in families[wanted]:
        raise ConfigError(f"expected one of {', '.join(families[wanted])}, got {plain!r}")
    return _fields(families[wanted][name], plain, families)


def _fields(cls: Any, plain: Any, families: Families) -> Any:
    known = _hints_of_fields(cls)
    if _is_named(cls) and isinstance(plain, dict) and plain.get("name") == cls.name:
        plain = {key: item for key, item in plain.items() if key != "name"}
    if not isinstance(plain, dict) or not (_required_fields(cls) <= plain.keys() <= known.keys()):
        raise ConfigError(f"expected the fields {', '.join(known)}, got {plain!r}")
    values = {key: from_plain(known[key], item, families) for key, item in plain.items()}
    try:
        return cls(**values)
    except (ValueError, LocalProtocolError) as error:
        raise ConfigError(str(error)) from None


def _tuple(args: tuple[Any, ...], plain: Any, families: Families) -> tuple[Any, ...]:
    if not isinstance(plain, list):
        raise ConfigError(f"expected a list, got {plain!r}")
    if len(args) == 2 and args[1] is Ellipsis:
        return tuple(from_plain(args[0], item, families) for item in plain)
    if len(plain) != len(args):
        raise ConfigError(f"expected {len(args)} items, got {plain!r}")
    return tuple(from_plain(arg, item, families) for arg, item in zip(args, plain, strict=True))


def _optional(args: tuple[Any, ...], plain: Any, families: Families) -> Any:
    """The only unions in our values are `X | None`, where X may be a family of classes."""
    if plain is None and NoneType in args:
        return None
    return from_plain(_present(args), plain, families)


@lru_cache(maxsize=256)
def _present(args: tuple[Any, ...]) -> Any:
    """X of `X | None`: Python flattens a family's own union into that."""
    return reduce(or_, (arg for arg in args if arg is not NoneType))


def _float(plain: Any) -> float:
    if (isinstance(plain, float) and math.isfinite(plain)) or plain in ("inf", "-inf"):
        return float(plain)
    raise ConfigError(f"expected a float, got {plain!r}")


def _enum(wanted: type[Enum], plain: Any) -> Enum:
    try:
        return wanted(plain)
    except ValueError:
        allowed = ", ".join(str(member.value) for member in wanted)
        raise ConfigError(f"expected one of {allowed}, got {plain!r}") from None
