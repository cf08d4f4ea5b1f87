"""Schemes by name: those of this package, and those that other installed packages offer.

A package offers one by an entry point in its metadata:

    [project.entry-points."bitarm.quantizers"]
    lattice = "their_package.lattice:Lattice"

Names are read from the metadata. A package's code is imported only when its scheme is asked for.
"""

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar, final

from bitarm.core.words import unknown, words_of
from bitarm.errors import ConfigError


class Named(Protocol):
    """What every scheme has."""

    name: ClassVar[str]


T = TypeVar("T", bound=Named)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A scheme that an installed package offers."""

    name: str
    package: str
    version: str
    load: Callable[[], Any]

    @property
    def origin(self) -> str:
        """The package as one names it to install it."""
        return f"{self.package} {self.version}"


def installed(group: str) -> list[Offer]:
    """What the installed packages offer in a group of entry points."""
    from importlib.metadata import entry_points  # here: it takes longer than all of the core

    return [
        Offer(name=point.name, package=point.dist.name, version=point.dist.version, load=point.load)
        for point in entry_points(group=group)
        if point.dist is not None
    ]


@final
class Registry(Mapping[str, type[T]]):
    """The schemes of one kind. Looking one up by name may import the package that offers it."""

    def __init__(
        self,
        kind: str,
        base: type[T],
        own: Iterable[type[T]],
        *,
        has_words: bool = True,
        find: Callable[[str], list[Offer]] = installed,
    ) -> None:
        """`kind` says in one word what they are ("quantizer"); all of them inherit from `base`.

        `has_words`: their fields are words that a user may set, and nothing else.
        """
        self.kind = kind
        self.group = f"bitarm.{kind[:-1] + 'ies' if kind.endswith('y') else kind + 's'}"
        self.own: Mapping[str, type[T]] = {member.name: member for member in own}
        self._base = base
        self._has_words = has_words
        self._find = find
        self._offers: dict[str, list[Offer]] | None = None
        self._loaded: dict[str, type[T]] = {}
        self._origins: dict[type[Any], str] = {}

    def __getitem__(self, name: str) -> type[T]:
        if name in self.own:
            return self.own[name]
        if name not in self._loaded:
            offers = self._offered.get(name)
            if offers is None:
                raise KeyError(name)
            member = self._checked(name, offers)
            self._loaded[name] = member
            self._origins[member] = offers[0].origin
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self.own or name in self._offered

    def __iter__(self) -> Iterator[str]:
        yield from self.own
        yield from self._offered

    def __len__(self) -> int:
        return len(self.own) + len(self._offered)

    def require(self, name: str) -> type[T]:
        """The scheme of this name; ConfigError, with those that there are, for any other."""
        if name not in self:
            raise ConfigError(unheard_of(self.kind, name, self))
        return self[name]

    @property
    def known(self) -> dict[str, type[T]]:
        """Our own, and those of other packages that were imported so far."""
        return {**self.own, **self._loaded}

    def import_all(self) -> list[str]:
        """Import every scheme that is offered; a sentence for each that cannot be used."""
        faults = [
            f"the package {offer.origin} offers a {self.kind} named {name}, as bitarm has: "
            "bitarm's own is used"
            for name, offers in self._everything().items()
            if name in self.own
            for offer in offers
        ]
        for name in self._offered:
            try:
                self[name]
            except ConfigError as error:
                faults.append(str(error))
        return faults

    def origin(self, member: type[Any]) -> str | None:
        """The package, with its version, that a scheme was loaded from; None for our own."""
        return self._origins.get(member)

    def forget(self) -> None:
        """Read the metadata anew, as after a package was installed."""
        self._offers = None
        self._loaded.clear()
        self._origins.clear()

    def _everything(self) -> dict[str, list[Offer]]:
        if self._offers is None:
            self._offers = {}
            for offer in self._find(self.group):
                self._offers.setdefault(offer.name, []).append(offer)
        return self._offers

    @property
    def _offered(self) -> dict[str, list[Offer]]:
        """What other packages offer, by name, without the names that are taken by ours."""
        return {name: member for name, member in self._everything().items() if name not in self.own}

    def _checked(self, name: str, offers: list[Offer]) -> type[T]:
        """The class that is offered under a name, if it can be used; ConfigError says why not."""
        where = f"the {self.kind} {name} of the package {offers[0].origin}"
        if len(offers) > 1:
            both = " and ".join(offer.origin for offer in offers)
            raise ConfigError(
                f"{both} both offer a {self.kind} named {name}: uninstall one of them"
            )
        try:
            member = offers[0].load()
        except (Exception, SystemExit) as error:  # whatever their code raises is theirs
            raise ConfigError(
                f"{where} cannot be loaded: {type(error).__name__}: {error}"
            ) from error
        fault = self.fault_of(member)
        if fault is None and member.name != name:
            fault = f"{member.__name__} calls itself {member.name!r}"
        if fault is None and self._has_words:
            fault = _fault_of_words(member)
        if fault is not None:
            raise ConfigError(f"{where} cannot be used: {fault}")
        scheme: type[T] = member
        return scheme

    def fault_of(self, member: Any) -> str | None:
        """What is wrong with a class that came from outside; None if it can be used."""
        base = self._base
        if not (inspect.isclass(member) and base in inspect.getmro(member)):
            return f"it must be a class that inherits from {base.__module__}.{base.__name__}"
        return self._fault_of_class(member)

    def _fault_of_class(self, member: Any) -> str | None:
        if inspect.isabstract(member):
            return f"{member.__name__} lacks {', '.join(sorted(member.__abstractmethods__))}"
        missing = [name for name in self._base.__annotations__ if not hasattr(member, name)]
        if missing:
            return f"{member.__name__} lacks {', '.join(missing)}"
        return None


def _fault_of_words(member: type[Any]) -> str | None:
    if not dataclasses.is_dataclass(member):
        return f"{member.__name__} must be a frozen dataclass: its fields are its words"
    try:
        words = words_of(member)
    except ConfigError as error:
        return str(error)
    silent = [
        field.name for field in dataclasses.fields(member) if field.init and field.name not in words
    ]
    if silent:
        return (
            f"{member.__name__}.{silent[0]} is no word: declare it as "
            f'Annotated[float, Word("what it is")], or whatever its type is'
        )
    return None


def unheard_of(what: str, name: str, known: Iterable[str], faults: Iterable[str] = ()) -> str:
    """The text of the error for a name that may be another package's.

    `faults` says what is wrong with those that are installed.
    """
    text = unknown(what, name, known)
    is_typo = "did you mean" in text
    more = [*faults, *([] if is_typo else ["If a package of its own offers it, install that"])]
    return ". ".join((text, *more))
