"""Which settings a search may try: those that can be built and, where any can have one, a proof."""

from collections.abc import Callable, Sequence
from typing import final

from bitarm.core.guarantee import Guarantee
from bitarm.errors import ConfigError
from bitarm.planner.setting import Setting


@final
class Admission:
    """Judges settings for one question.

    If nothing is fixed, all are admitted: the families have only settings with a proof. What a user
    fixed may go with some settings of a family and not with others. Those that cannot be built are
    left out; so are those without a proof, unless the fixed words leave no other.
    """

    def __init__(self, fixed: Setting, claim_of: Callable[[Setting], Guarantee]) -> None:
        self._judges = bool(fixed.items)
        self._claim_of = claim_of
        self._unproven_too = False
        self._known: dict[Setting, Guarantee | ConfigError] = {}

    def starts(self, settings: Sequence[Setting]) -> list[Setting]:
        """Those of the settings with which a search may begin; ConfigError if there are none."""
        if not self._judges:
            return list(settings)
        proven = [it for it in settings if self.admits(it)]
        self._unproven_too = not proven
        found = proven or [it for it in settings if self.admits(it)]
        if not found:
            refusal = self._judged(settings[0])
            assert isinstance(refusal, ConfigError)  # else it would have been found
            raise refusal
        return found

    def admits(self, setting: Setting) -> bool:
        """Whether a search may try a setting."""
        if not self._judges:
            return True
        claim = self._judged(setting)
        if isinstance(claim, ConfigError):
            return False
        return self._unproven_too or claim.delta is not None

    def _judged(self, setting: Setting) -> Guarantee | ConfigError:
        if setting not in self._known:
            try:
                self._known[setting] = self._claim_of(setting)
            except ConfigError as error:
                self._known[setting] = error
        return self._known[setting]
