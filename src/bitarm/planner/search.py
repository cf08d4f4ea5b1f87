"""The search: a race of many settings, then a climb from the best of them.

Every setting runs a little; those far behind are left out; the rest run more, and the best of them
move to cheaper neighbours until there are none. All run in the same environments, so a search is a
function of its task and its seed.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, final

from bitarm.core.guarantee import Guarantee
from bitarm.errors import ConfigError
from bitarm.planner.candidates import neighbours, tunable
from bitarm.planner.figures import Figures
from bitarm.planner.link_costs import LinkCheck
from bitarm.planner.scheme_words import SchemeWords
from bitarm.planner.setting_simulator import SettingSimulator
from bitarm.planner.testbeds import Effort, Testbed

Score = Callable[[Figures], float]
"""What a climb makes small."""

SCREEN, COMPARE, FINAL, FRESH, ON_LINK = (
    Effort(environments=6, runs=32, draws=60_000, fewest=30),
    Effort(environments=10, runs=112, draws=250_000, fewest=180),
    Effort(environments=48, runs=80, draws=1_200_000),
    Effort(environments=48, runs=80, draws=6_000_000),
    Effort(environments=48, runs=240, draws=300_000),  # by the machines: some ten seconds
)

_HOPEFUL = 1.25  # times the best score of the screening: so much may be noise or badly tuned
_MOST_HOPEFUL = 10
_CLIMBERS = 4
_RIVAL = 1.15  # a scheme of another kind climbs too if it scores no worse than this many times
_FINALISTS = 6
_CYCLES = 4
_TOO_SMALL = "the guess is too small for sigma and delta"
_GAIN = 0.9995  # a step must score less than this many times what it leaves
_ROUGH_GAIN = 0.99  # the same where few runs were made
_FEW_RUNS = 500


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A setting and what it cost."""

    setting: SchemeWords
    figures: Figures

    @property
    def score(self) -> float:
        """What a search compares settings by: less is better."""
        return self.figures.score

    def to_json(self) -> dict[str, Any]:
        """Plain types: the words of the scheme, and its figures."""
        return {"scheme": self.setting.words, **self.figures.to_json()}


@final
class Admission:
    """Which settings a search may try: those that can be built and, where any has one, a proof.

    If nothing is fixed, all are admitted: the starting grids have only settings with a proof. What
    a user fixed may go with some settings of a grid and not with others. Those that cannot be built
    are left out; so are those without a proof, unless the fixed words leave no other.
    """

    def __init__(self, fixed: SchemeWords, claim_of: Callable[[SchemeWords], Guarantee]) -> None:
        self._is_choosy = bool(fixed.items)
        self._claim_of = claim_of
        self._unproven_too = False
        self._known: dict[SchemeWords, Guarantee | ConfigError] = {}

    def starts(self, settings: Sequence[SchemeWords]) -> list[SchemeWords]:
        """Which of the settings a search may begin with; ConfigError if there are none."""
        if not self._is_choosy:
            return list(settings)
        proven = [setting for setting in settings if self.admits(setting)]
        self._unproven_too = not proven
        found = proven or [setting for setting in settings if self.admits(setting)]
        if not found:
            refusal = self._claimed(settings[0])
            assert isinstance(refusal, ConfigError)  # else it would have been found
            raise refusal
        return found

    def admits(self, setting: SchemeWords) -> bool:
        """Whether a search may try a setting."""
        if not self._is_choosy:
            return True
        claim = self._claimed(setting)
        if isinstance(claim, ConfigError):
            return False
        return self._unproven_too or claim.delta is not None

    def _claimed(self, setting: SchemeWords) -> Guarantee | ConfigError:
        """What may be claimed for a setting, or why it cannot be built; found out once."""
        if setting not in self._known:
            try:
                self._known[setting] = self._claim_of(setting)
            except ConfigError as error:
                self._known[setting] = error
        return self._known[setting]


@final
@dataclass(kw_only=True)
class Search:
    """Looks for the setting of least expected cost for one simulator's task."""

    simulator: SettingSimulator
    link_check: LinkCheck
    admits: Callable[[SchemeWords], bool] = lambda setting: True
    after_each: Callable[[], None] = lambda: None  # called after every measurement
    screened: dict[SchemeWords, Tried] = field(default_factory=dict)
    compared: dict[SchemeWords, Tried] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._screen = self.simulator.testbed(0, SCREEN)
        self._compare = self.simulator.testbed(1, COMPARE)

    def explore(self, starts: Iterable[SchemeWords]) -> None:
        """Race these settings, and climb from the best of them."""
        hopeful = self._race(list(starts))
        for start in self._climbers(hopeful):
            self.climb(start)

    def settle(self) -> Tried:
        """The best of all that were compared, measured where nothing had a part in choosing it."""
        finalists = self._fitting(self._ranked(self.compared), _FINALISTS)
        testbed = self.simulator.testbed(2, FINAL)
        measured = [self._measured(finalist.setting, testbed) for finalist in finalists]
        decided = [tried for tried in measured if tried is not None]
        best = min(decided or finalists, key=attrgetter("score"))
        fresh = self._measured(best.setting, self.simulator.testbed(3, FRESH))
        return fresh or best

    def on_link(self, setting: SchemeWords) -> Figures | None:
        """The figures of a setting some of whose answers the task's link does not carry; else None.

        A search does without: few answers are so long, and settings are compared alike.
        """
        most_bits = self.simulator.longest_answer(setting)
        if most_bits is None:
            return None
        return self.simulator.measure(setting, self.simulator.testbed(6, ON_LINK), most_bits)

    def compare(self, setting: SchemeWords) -> Tried | None:
        """A setting measured as well as those that were compared; None if it does not decide."""
        if setting not in self.compared:
            self._note(self.compared, setting, self._compare)
        return self.compared.get(setting)

    def _race(self, starts: Sequence[SchemeWords]) -> list[Tried]:
        for setting in starts:
            self._note(self.screened, setting, self._screen)
        if not self.screened:
            raise self._undecided()
        ranked = self._ranked(self.screened)
        near = [tried for tried in ranked if tried.score <= _HOPEFUL * ranked[0].score]
        kinds = {tried.setting.kind: tried for tried in reversed(ranked)}  # the best of each
        enough = 2 * _RIVAL * ranked[0].score
        rivals = [tried for tried in kinds.values() if tried.score <= enough]
        chosen = self._fitting(near, _MOST_HOPEFUL) + self._fitting(rivals, len(rivals))
        chosen = chosen or self._fitting(ranked, _MOST_HOPEFUL)
        if not chosen:
            raise ConfigError(f"no setting{self._fixed()} fits: {self.link_check.refusal}")
        for tried in chosen:
            self._note(self.compared, tried.setting, self._compare)
        if not self.compared:
            raise self._undecided()
        return self._ranked(self.compared)

    def _climbers(self, hopeful: Sequence[Tried]) -> list[Tried]:
        """The best, and the best of each other kind that could still catch up."""
        best = hopeful[0]
        kinds = {tried.setting.kind: tried for tried in reversed(hopeful)}
        rivals = sorted(kinds.values(), key=attrgetter("score"))
        return [tried for tried in rivals if tried.score <= _RIVAL * best.score][:_CLIMBERS]

    def climb(
        self, start: Tried, score: Score = attrgetter("score"), cycles: int = _CYCLES
    ) -> None:
        """Move along one word after the other, as long as it gets better, until none helps."""
        here = start
        for _ in range(cycles):
            before = here
            for word in tunable(here.setting, self.simulator.task):
                while (step := self._step(here, word, score)) is not None:
                    here = step
            if here is before:
                return

    def _step(self, here: Tried, word: str, score: Score) -> Tried | None:
        """The best neighbour in a word, if it is better."""
        near = neighbours(here.setting, word, self.simulator.task)
        steps = [self.compare(setting) for setting in near if self.admits(setting)]
        gain = _ROUGH_GAIN if here.figures.runs < _FEW_RUNS else _GAIN
        least = gain * score(here.figures)
        better = [step for step in steps if step is not None and score(step.figures) < least]
        reachable = self._fitting(sorted(better, key=lambda step: score(step.figures)), 1)
        return reachable[0] if reachable else None

    def _fitting(self, ranked: Sequence[Tried], most: int) -> list[Tried]:
        """The first that the link carries: judging frames takes longer than a simulation."""
        found: list[Tried] = []
        for tried in ranked:
            if len(found) == most:
                break
            if self.link_check.carries(tried.setting):
                found.append(tried)
        return found

    def _note(self, book: dict[SchemeWords, Tried], setting: SchemeWords, testbed: Testbed) -> None:
        tried = self._measured(setting, testbed)
        self.after_each()
        if tried is not None:
            book[setting] = tried

    def _measured(self, setting: SchemeWords, testbed: Testbed) -> Tried | None:
        figures = self.simulator.measure(setting, testbed)
        return None if figures is None else Tried(setting=setting, figures=figures)

    def _undecided(self) -> ConfigError:
        return ConfigError(f"no setting{self._fixed()} decides for these gaps: {_TOO_SMALL}")

    def _fixed(self) -> str:
        fixed = self.simulator.task.fixed
        return f" with {fixed.describe()}" if fixed.items else ""

    @staticmethod
    def _ranked(book: dict[SchemeWords, Tried]) -> list[Tried]:
        return sorted(book.values(), key=attrgetter("score"))
