"""The search: a race of many settings, then a climb from the best of them.

Every setting runs a little; those far behind are left out; the rest run more, and the best of them
move to cheaper neighbours until there are none. All run in the same environments, so a search is a
function of its task and its seed.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import final

from bitarm.errors import ConfigError
from bitarm.planner.candidates import neighbours, tunable
from bitarm.planner.figures import Figures
from bitarm.planner.frames import Fit
from bitarm.planner.gauge import Bank, Effort, Gauge
from bitarm.planner.setting import Setting

Progress = Callable[[], None]
"""Told after every measurement."""

Score = Callable[[Figures], float]
"""What a climb makes small."""

SCREEN, COMPARE, FINAL = (
    Effort(environments=6, runs=32),
    Effort(environments=10, runs=112),
    Effort(environments=48, runs=80),
)

_HOPEFUL = 1.25  # times the best score of the screening: so much may be noise or badly tuned
_MOST_HOPEFUL = 10
_CLIMBERS = 4
_RIVAL = 1.15  # a scheme of another kind climbs too if it scores no worse than this many times
_FINALISTS = 6
_CYCLES = 4
_TOO_SMALL = "the guess is too small for sigma and delta"
_GAIN = 0.9995  # a step must score less than this many times what it leaves


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A setting and what it cost."""

    setting: Setting
    figures: Figures

    @property
    def score(self) -> float:
        """Less is better."""
        return self.figures.score


@final
@dataclass(kw_only=True)
class Search:
    """Looks for the setting of least expected cost for one gauge's question."""

    gauge: Gauge
    fit: Fit
    admits: Callable[[Setting], bool] = lambda setting: True
    progress: Progress = lambda: None
    screened: dict[Setting, Tried] = field(default_factory=dict)
    compared: dict[Setting, Tried] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._screen = self.gauge.bank(0, SCREEN)
        self._compare = self.gauge.bank(1, COMPARE)

    def explore(self, starts: Iterable[Setting]) -> None:
        """Race these settings, and climb from the best of them."""
        hopeful = self._race(list(starts))
        for start in self._climbers(hopeful):
            self.climb(start)

    def settle(self) -> Tried:
        """The best of all that were compared, measured where nothing had a part in choosing it."""
        finalists = self._fitting(self._ranked(self.compared), _FINALISTS)
        bank = self.gauge.bank(2, FINAL)
        final = [self._measured(it.setting, bank) for it in finalists]
        best = min((it for it in final if it is not None), key=lambda it: it.score)
        fresh = self._measured(best.setting, self.gauge.bank(3, FINAL))
        return fresh or best

    def compare(self, setting: Setting) -> Tried | None:
        """A setting as it does beside those that were compared."""
        if setting not in self.compared:
            self._note(self.compared, setting, self._compare)
        return self.compared.get(setting)

    def _race(self, starts: Sequence[Setting]) -> list[Tried]:
        for setting in starts:
            self._note(self.screened, setting, self._screen)
        if not self.screened:
            raise ConfigError(f"no setting{self._fixed()} decides for these gaps: {_TOO_SMALL}")
        ranked = self._ranked(self.screened)
        near = [it for it in ranked if it.score <= _HOPEFUL * ranked[0].score]
        kinds = {it.setting.kind: it for it in reversed(ranked)}  # the best of each
        rivals = [it for it in kinds.values() if it.score <= 2 * _RIVAL * ranked[0].score]
        chosen = self._fitting(near, _MOST_HOPEFUL) + self._fitting(rivals, len(rivals))
        for it in chosen or self._fitting(ranked, _MOST_HOPEFUL):
            self._note(self.compared, it.setting, self._compare)
        if not self.compared:
            raise ConfigError(f"no setting{self._fixed()} fits: {self.fit.refusal}")
        return self._ranked(self.compared)

    def _climbers(self, hopeful: Sequence[Tried]) -> list[Tried]:
        """The best, and the best of each other kind that could still catch up."""
        best = hopeful[0]
        kinds = {it.setting.kind: it for it in reversed(hopeful)}
        rivals = sorted(kinds.values(), key=lambda it: it.score)
        return [it for it in rivals if it.score <= _RIVAL * best.score][:_CLIMBERS]

    def climb(self, start: Tried, score: Score = attrgetter("score")) -> None:
        """Move along one word after the other, as long as it gets better, until none helps."""
        here = start
        for _ in range(_CYCLES):
            before = here
            for word in tunable(here.setting, self.gauge.question):
                while (step := self._step(here, word, score)) is not None:
                    here = step
            if here is before:
                return

    def _step(self, here: Tried, word: str, score: Score) -> Tried | None:
        """The best neighbour in a word, if it is better."""
        near = neighbours(here.setting, word, self.gauge.question)
        steps = [self.compare(setting) for setting in near if self.admits(setting)]
        least = _GAIN * score(here.figures)
        better = [it for it in steps if it is not None and score(it.figures) < least]
        reachable = self._fitting(sorted(better, key=lambda it: score(it.figures)), 1)
        return reachable[0] if reachable else None

    def _fitting(self, ranked: Sequence[Tried], most: int) -> list[Tried]:
        """The first that the link carries: judging frames takes longer than a simulation."""
        found: list[Tried] = []
        for it in ranked:
            if len(found) == most:
                break
            if self.fit.carries(it.setting):
                found.append(it)
        return found

    def _note(self, book: dict[Setting, Tried], setting: Setting, bank: Bank) -> None:
        tried = self._measured(setting, bank)
        self.progress()
        if tried is not None:
            book[setting] = tried

    def _measured(self, setting: Setting, bank: Bank) -> Tried | None:
        figures = self.gauge.measure(setting, bank)
        return None if figures is None else Tried(setting=setting, figures=figures)

    def _fixed(self) -> str:
        fixed = self.gauge.question.fixed
        return f" with {fixed.describe()}" if fixed.items else ""

    @staticmethod
    def _ranked(book: dict[Setting, Tried]) -> list[Tried]:
        return sorted(book.values(), key=lambda it: it.score)
