"""Schemes by name: ours, and those that packages offer; what is wrong with one harms no other."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import pytest

from bitarm.core.quantizer import Quantizer
from bitarm.core.quantizers import CHOICES, Exact, Icq, QuBan
from bitarm.core.registry import Offer, Registry, installed
from bitarm.core.words import Word
from bitarm.errors import ConfigError


@dataclass(frozen=True)
class Theirs(Quantizer):
    """Somebody's own, which no test runs."""

    name: ClassVar[str] = "theirs"
    certain: ClassVar[bool] = True
    codes: ClassVar[tuple[str, ...]] = ()
    depth: Annotated[int, Word("How deep")] = 1

    start = Exact.start
    error = Exact.error
    least_bits = Exact.least_bits
    question = Exact.question
    read = Exact.read
    objection = Exact.objection


def _raise(error: BaseException) -> Callable[[], Any]:
    def load() -> Any:
        raise error

    return load


def _offer(name: str, load: Callable[[], Any], package: str = "theirs") -> Offer:
    return Offer(name=name, package=package, version="1.0", load=load)


class Shelf:
    """A registry of two schemes of ours and what is offered, which counts how often it is asked."""

    def __init__(self, *offers: Offer) -> None:
        self.asked = 0
        self._offers = list(offers)
        self.registry: Registry[Quantizer] = Registry(
            "quantizer",
            Quantizer,  # type: ignore[type-abstract]
            (Exact, Icq),
            find=self._find,
        )

    def _find(self, group: str) -> list[Offer]:
        assert group == "bitarm.quantizers"
        self.asked += 1
        return self._offers


def test_ours_are_found_without_looking_at_packages() -> None:
    shelf = Shelf(_offer("theirs", _raise(AssertionError("imported"))))
    assert shelf.registry["exact"] is Exact
    assert "icq" in shelf.registry
    assert shelf.registry.known == {"exact": Exact, "icq": Icq}
    assert shelf.asked == 0


def test_names_of_packages_are_known_without_an_import() -> None:
    shelf = Shelf(_offer("theirs", _raise(AssertionError("imported"))))
    assert list(shelf.registry) == ["exact", "icq", "theirs"]
    assert len(shelf.registry) == 3
    assert "theirs" in shelf.registry
    assert "others" not in shelf.registry
    assert shelf.asked == 1  # the metadata are read once


def test_a_scheme_of_a_package_is_imported_once_when_it_is_asked_for() -> None:
    loads = []
    shelf = Shelf(_offer("theirs", lambda: loads.append(1) or Theirs))  # type: ignore[func-returns-value]
    assert shelf.registry.origin(Theirs) is None
    assert [shelf.registry["theirs"], shelf.registry["theirs"]] == [Theirs, Theirs]
    assert loads == [1]
    assert shelf.registry.known == {"exact": Exact, "icq": Icq, "theirs": Theirs}
    assert (shelf.registry.origin(Theirs), shelf.registry.origin(Icq)) == ("theirs 1.0", None)


def test_nobody_has_the_name() -> None:
    with pytest.raises(KeyError):
        Shelf().registry["theirs"]


@pytest.mark.parametrize("error", [ImportError("no module"), SystemExit("bye"), ValueError("?")])
def test_code_that_raises_is_a_sentence(error: BaseException) -> None:
    shelf = Shelf(_offer("theirs", _raise(error)))
    wrong = (
        f"the quantizer theirs of the package theirs 1.0 cannot be loaded: {type(error).__name__}"
    )
    with pytest.raises(ConfigError, match=wrong):
        shelf.registry["theirs"]
    assert [wrong in fault for fault in shelf.registry.import_all()] == [True]
    assert shelf.registry.known == {"exact": Exact, "icq": Icq}


def test_two_packages_offer_one_name() -> None:
    shelf = Shelf(_offer("theirs", lambda: Theirs), _offer("theirs", lambda: Theirs, "others"))
    with pytest.raises(
        ConfigError, match=r"theirs 1\.0 and others 1\.0 both offer a quantizer named"
    ):
        shelf.registry["theirs"]


def test_a_name_of_ours_stays_ours() -> None:
    shelf = Shelf(_offer("icq", _raise(AssertionError("imported"))))
    assert shelf.registry["icq"] is Icq
    assert len(shelf.registry) == 2
    (fault,) = shelf.registry.import_all()
    assert fault == (
        "the package theirs 1.0 offers a quantizer named icq, as bitarm has: bitarm's own is used"
    )


def test_all_that_can_be_used_is_imported_and_the_rest_named() -> None:
    shelf = Shelf(_offer("broken", lambda: 3), _offer("theirs", lambda: Theirs))
    (fault,) = shelf.registry.import_all()
    assert "the quantizer broken of the package theirs 1.0 cannot be used: it must be a" in fault
    assert "theirs" in shelf.registry.known


class Half(Quantizer):
    """Lacks all methods."""

    name: ClassVar[str] = "theirs"
    certain: ClassVar[bool] = True
    codes: ClassVar[tuple[str, ...]] = ()


class NoFields(QuBan.__mro__[1]):  # type: ignore[misc, name-defined]
    """Inherits, and says nothing."""


@pytest.mark.parametrize("thing", [3, "text", None, Theirs(), int, Half, NoFields], ids=repr)
def test_what_is_no_scheme_is_refused(thing: Any) -> None:
    with pytest.raises(
        ConfigError, match=r"the quantizer theirs of the package theirs 1\.0 cannot"
    ):
        Shelf(_offer("theirs", lambda: thing)).registry["theirs"]


def test_the_real_metadata_are_asked() -> None:
    assert installed("bitarm.quantizers") == []  # where these tests run, nobody offers any
    assert list(CHOICES) == list(CHOICES.own)


def test_after_an_installation_the_metadata_are_read_anew() -> None:
    shelf = Shelf()
    assert "theirs" not in shelf.registry
    shelf._offers.append(_offer("theirs", lambda: Theirs))
    assert "theirs" not in shelf.registry
    shelf.registry.forget()
    assert shelf.registry["theirs"] is Theirs
