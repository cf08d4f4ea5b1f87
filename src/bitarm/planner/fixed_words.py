"""Which words of the scheme a user fixed: a plan may not vary them.

They are checked here one by one; which settings can have them, `starting_grids.py` says.
"""

from collections.abc import Mapping
from typing import Any

from bitarm.api.words import typed_words
from bitarm.core.budget import is_budgeted
from bitarm.core.policies import POLICIES
from bitarm.core.quantizers import CHOICES
from bitarm.core.registry import Registry
from bitarm.core.vocabulary import choose, vocabulary
from bitarm.core.widths import WIDTHS
from bitarm.core.words import values_of
from bitarm.errors import ConfigError
from bitarm.planner.scheme_words import NAMES, SchemeWords

PROBLEM_WORDS = ("delta", "sigma", "bounds", "epsilon")
"""Words of [problem] that a plan takes."""

_BUDGET = "a plan is for runs that decide at delta, not for those that spend a budget"
_NO_WORDS = {
    "pull_budget": _BUDGET,
    "bit_budget": _BUDGET,
    "interval_delta": _BUDGET,
    "checkpoints": "a plan chooses among checkpoints that grow by a factor (first, growth)",
}


def is_planned(word: str) -> bool:
    """Whether a word of the vocabulary has a meaning for a plan."""
    of_problem = vocabulary()[word].word.table == "problem"
    return word in PROBLEM_WORDS if of_problem else word not in _NO_WORDS


def refuse_unplanned(words: Mapping[str, Any]) -> None:
    """Refuse words that are known but have no meaning for a plan."""
    for word in words:
        if not is_planned(word):
            why = _NO_WORDS.get(word, f"it takes {', '.join(PROBLEM_WORDS)} of [problem]")
            raise ConfigError(f"{word} does not apply to a plan: {why}")


def fixed_words(scheme: Mapping[str, Any]) -> SchemeWords:
    """Words of [scheme] as a setting that says some of them; ConfigError if one makes no sense.

    A quantizer or a policy that is given as a value fixes all of its words.
    """
    words = typed_words(scheme, "scheme")
    for registry in (CHOICES, POLICIES):
        words = _by_name(registry, words)
    if "width" in words:
        choose(WIDTHS, words["width"])
    if "policy" in words and is_budgeted(POLICIES[words["policy"]]):
        raise ConfigError(f"the policy {words['policy']} does not apply to a plan: {_BUDGET}")
    for word, value in words.items():
        if word not in NAMES:
            vocabulary()[word].check(value)
    return SchemeWords.of(words)


def _by_name(registry: Registry[Any], words: Mapping[str, Any]) -> dict[str, Any]:
    """The words with the name of a scheme, known and imported, in place of its value."""
    given = words.get(registry.kind)
    if given is None:
        return dict(words)
    if isinstance(given, str):
        choose(registry, given)
        return dict(words)
    name = str(getattr(given, "name", ""))
    if name not in registry or registry[name] is not type(given):
        raise ConfigError(
            f"a plan needs a {registry.kind} that has a name in a problem file, got {given!r:.100}"
        )
    own = values_of(given)
    for word in own:
        if word in words:
            raise ConfigError(
                f"{word} belongs to the {registry.kind} {name}, which was given as a value: set it "
                "there"
            )
    of_scheme = {
        word: value
        for word, value in own.items()
        if value is not None and vocabulary()[word].word.table == "scheme"
    }
    return {**words, registry.kind: name, **of_scheme}
