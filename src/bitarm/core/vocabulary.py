"""The vocabulary: every word of every scheme, each with one meaning, wherever it stands.

A scheme's words are declared at its fields (`bitarm.core.words`). Here they are gathered. The
vocabulary grows when a package that offers a scheme is imported, and none is until somebody asks
for what only it can have.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar, final

from bitarm.core.budget import BudgetWords, is_budgeted
from bitarm.core.limits import Limits
from bitarm.core.policies import POLICIES
from bitarm.core.quantizers import CHOICES
from bitarm.core.registry import Named, Registry
from bitarm.core.schedule import SCHEDULES
from bitarm.core.spec import RunSpec
from bitarm.core.widths import WIDTHS
from bitarm.core.words import Declared, Taker, Word, WordKind, words_of
from bitarm.errors import ConfigError

T = TypeVar("T", bound=Named)
LIMIT_PREFIX = "max_"
"""Stands before a limit's word in a call or a flag."""
_NAMES = ("quantizer", "policy", "width")
_ARGUMENTS = """
    application arms as_csv as_json broker ca cache clip cluster concentration connect_within
    context csv dashboard gap gap_prior gaps help join_within journal json link log_json log_level
    lost lost_after mean metrics models no_code offset pace password_file per_bit per_downlink
    per_frame_unit per_message per_pull per_round plan plot problem progress pull_packets
    pull_seconds resume rewards run save sd seed sigma_from_models spread store trials user via
    watch words workers
"""
TAKEN = frozenset(_ARGUMENTS.split())
"""Arguments and flags that calls and commands have beside the words, so that no word may be one."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """Every word as a call or a flag spells it, in the order in which they are shown."""

    words: Mapping[str, Declared]
    refused: Mapping[type[Any], str]  # schemes of other packages whose words clash with others

    def __getitem__(self, word: str) -> Declared:
        return self.words[word]

    @property
    def labelled(self) -> list[str]:
        """The words in the order of a label: how a run is done, then what is asked."""
        return sorted(self.words, key=lambda word: self.words[word].word.table == "problem")

    def of_table(self, table: str) -> dict[str, Taker]:
        """What takes the values of a table of a problem file, [problem] or [scheme], by word."""
        return {
            name: _name_or_value if name in ("quantizer", "policy") else declared.taker
            for name, declared in self.words.items()
            if declared.word.table == table and not name.startswith(LIMIT_PREFIX)
        }


def vocabulary() -> Vocabulary:
    """The words of all schemes that are known by now."""
    return _vocabulary(tuple(CHOICES.known.values()), tuple(POLICIES.known.values()))


def import_plugins() -> list[str]:
    """Import all schemes that installed packages offer: one of them may have the word wanted.

    A sentence for each that cannot be used.
    """
    faults = [fault for registry in (CHOICES, POLICIES, WIDTHS) for fault in registry.import_all()]
    return [*faults, *vocabulary().refused.values()]


@lru_cache(maxsize=16)
def _vocabulary(quantizers: tuple[type[Any], ...], policies: tuple[type[Any], ...]) -> Vocabulary:
    limits = {f"{LIMIT_PREFIX}{name}": word for name, word in words_of(Limits).items()}
    owners: list[type[Any]] = [RunSpec, *CHOICES.own.values(), *POLICIES.own.values()]
    owners += [BudgetWords, *SCHEDULES.values()]
    _gathered(owners)  # our own never clash
    refused: dict[type[Any], str] = {}
    for member in (*quantizers, *policies):
        if member in owners:
            continue
        try:
            _gathered((*owners, member))
        except ConfigError as error:
            refused[member] = f"the words of {member.name} cannot be used: {error}"
        else:
            owners.append(member)
    every = _gathered(owners)
    problem = {name: found for name, found in every.items() if found.word.table == "problem"}
    scheme = {name: found for name, found in every.items() if found.word.table == "scheme"}
    of_quantizers = _among(scheme, quantizers)
    of_policies = _among(scheme, policies)
    words = {
        **problem,
        "quantizer": _name("quantizer", CHOICES, sign=""),
        **of_quantizers,
        "policy": _name("policy", POLICIES, sign=""),
        **of_policies,
        "width": _name("width", WIDTHS),
        "interval_delta": scheme["interval_delta"],
        **_gathered(SCHEDULES.values()),
        **{name: replace(word, name=name) for name, word in limits.items()},
    }
    return Vocabulary(words, refused)


def _gathered(owners: Iterable[type[Any]]) -> dict[str, Declared]:
    """The words of several owners; one that two of them mean differently is refused."""
    found: dict[str, tuple[Declared, type[Any]]] = {}
    for owner in owners:
        for name, declared in words_of(owner).items():
            if name in _NAMES or name.startswith(LIMIT_PREFIX):
                raise ConfigError(f"{name} of {owner.__name__} is a word of every run")
            if name in TAKEN:
                raise ConfigError(f"{name} of {owner.__name__} is an argument or a flag already")
            first, other = found.setdefault(name, (declared, owner))
            if (first.kind, first.word, first.choices) != (
                declared.kind,
                declared.word,
                declared.choices,
            ):
                raise ConfigError(
                    f"{name} means one thing to {other.__name__} and another to {owner.__name__}: "
                    "a word has one type, one range and one help"
                )
    return {name: declared for name, (declared, _) in found.items()}


def _among(words: Mapping[str, Declared], members: Iterable[type[Any]]) -> dict[str, Declared]:
    """The words that some of these schemes have, in their order."""
    own = dict.fromkeys(word for member in members for word in words_of(member))
    return {word: words[word] for word in own if word in words}


def _name(word: str, registry: Registry[Any], sign: str | None = None) -> Declared:
    """A word whose value is the name of a scheme."""
    return Declared(
        name=word,
        kind=WordKind.TEXT,
        word=Word(", ".join(registry.known), sign=sign),
        choices=(),
        required=False,
        default=None,
    )


def _name_or_value(word: str, value: Any) -> Any:
    """A scheme by its name, or as a value that was made in Python."""
    if is_dataclass(value) and not isinstance(value, type):
        return value
    if not isinstance(value, str):
        if isinstance(value, type):
            raise ConfigError(f"{word} must be an instance, not a class: {value.__name__}(…)")
        raise ConfigError(f"{word} must be a name, or in Python an instance, got {value!r}")
    return value


def choose(registry: Registry[T], name: str) -> type[T]:
    """The scheme of this name; imports it if another package offers it."""
    member = registry.require(name)
    if member in vocabulary().refused:
        raise ConfigError(vocabulary().refused[member])
    return member


def users(word: str) -> list[str]:
    """The schemes that a word belongs to; none for one that belongs to every run."""
    if word in words_of(BudgetWords):
        return [name for name, policy in POLICIES.known.items() if is_budgeted(policy)]
    return list(owners(word))


def owners(word: str) -> dict[str, type[Any]]:
    """The schemes that declare a word at a field of theirs, by name."""
    every: dict[str, type[Any]] = {**CHOICES.known, **POLICIES.known}
    return {name: owner for name, owner in every.items() if word in words_of(owner)}


def labels(
    points: Sequence[Mapping[str, Any]], always: Sequence[str] = ("quantizer",)
) -> list[str]:
    """What tells each setup from the others, given the words of all: `always`, and what varies."""
    known = vocabulary()
    varying = [
        known[word]
        for word in known.labelled
        if word not in always
        and len({_spelt(point[word]) for point in points if point.get(word) is not None}) > 1
    ]
    return [
        " ".join(
            (
                *(str(point[word]) for word in always),
                *(
                    declared.label(point[declared.name])
                    for declared in varying
                    if point.get(declared.name) is not None
                ),
            )
        )
        for point in points
    ]


def _spelt(value: Any) -> str:
    """One spelling for a value: a page's JSON writes 2.0 as 2."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return repr(float(value)) if is_number else str(value)
