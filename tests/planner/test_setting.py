"""Settings as values: equal by their words, spelt for a person and for a file."""

import tomllib

from bitarm.planner.setting import Setting

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
    assert Setting.of(_WORDS) == Setting.of(backwards)
    assert hash(Setting.of(_WORDS)) == hash(Setting.of(backwards))


def test_a_setting_is_told_in_one_line() -> None:
    assert Setting.of(_WORDS).describe() == "dicq se κ=1.25 pairwise α=2 t₁=40"
    assert Setting.of(_WORDS | {"patience": 3}).describe().endswith("t₁=40 patience 3")


def test_the_table_for_a_problem_file_reads_back_as_the_same_words() -> None:
    words = _WORDS | {"quiet": True}
    assert tomllib.loads(Setting.of(words).to_toml()) == {"scheme": words}


def test_one_word_changes_and_the_others_stay() -> None:
    changed = Setting.of(_WORDS).with_word("first", 7)
    assert changed.words == _WORDS | {"first": 7}
    assert changed.kind == ("dicq", "se", "pairwise")
