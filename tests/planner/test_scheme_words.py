"""Settings as values: equal by their words, spelt for a person and for a file."""

import tomllib

from planner.plugins import Lattice, installed

from bitarm.core.quantizers import CHOICES
from bitarm.planner.scheme_words import SchemeWords, flags_of

_WORDS = {
    "quantizer": "dicq",
    "policy": "se",
    "width": "pairwise",
    "kappa": 1.25,
    "first": 40,
    "growth": 2.0,
}


def test_the_order_of_words_does_not_matter() -> None:
    backwards = dict(reversed(_WORDS.items()))
    assert SchemeWords.of(_WORDS) == SchemeWords.of(backwards)
    assert hash(SchemeWords.of(_WORDS)) == hash(SchemeWords.of(backwards))


def test_a_setting_is_told_in_one_line() -> None:
    assert SchemeWords.of(_WORDS).describe() == "dicq se κ=1.25 pairwise α=2 t₁=40"
    assert SchemeWords.of(_WORDS | {"patience": 3}).describe().endswith("t₁=40 patience 3")


def test_the_vocabulary_says_how_a_word_is_told() -> None:
    challenge = {"policy": "challenge", "start": 40, "behind": 0.5}
    words = {word: value for word, value in _WORDS.items() if word not in ("growth", "first")}
    assert SchemeWords.of(words | challenge | {"kappa": 1.23456}).describe() == (
        "dicq challenge κ=1.235 pairwise start 40 behind 0.5"
    )
    icq = {"quantizer": "icq", "policy": "se", "width": "paper", "prior": "midpoint", "bits": 2}
    assert SchemeWords.of(icq).describe() == "icq se B=2 prior midpoint paper"


def test_some_words_are_told_as_well_as_all() -> None:
    assert SchemeWords.of({"bits": 2, "quantizer": "icq"}).describe() == "icq B=2"
    assert SchemeWords(()).describe() == ""


def test_a_word_of_another_package_is_told_as_it_says() -> None:
    with installed(Lattice):
        assert CHOICES["lattice"] is Lattice
        words = {"quantizer": "lattice", "coarseness": 2.0, "tilt": "flat", "policy": "se"}
        assert SchemeWords.of(words).describe() == "lattice se c=2 tilt flat"


def test_the_table_for_a_problem_file_reads_back_as_the_same_words() -> None:
    words = _WORDS | {"bold": True, "marks": [1, 2]}
    assert tomllib.loads(SchemeWords.of(words | {"marks": (1, 2)}).to_toml()) == {"scheme": words}


def test_words_are_flags_that_a_shell_takes() -> None:
    words = SchemeWords.of({"kappa_first": 2.5, "quantizer": "dicq", "first": 40, "bold": False})
    assert words.to_flags() == ["--no-bold", "--first 40", "--kappa-first 2.5", "--quantizer dicq"]
    assert flags_of("bounds", (0.0, 1.5)) == ["--bounds 0 1.5"]


def test_one_word_changes_and_the_others_stay() -> None:
    changed = SchemeWords.of(_WORDS).with_word("first", 7)
    assert changed.words == _WORDS | {"first": 7}
    assert changed.kind == ("dicq", "se", "pairwise")
