"""What a message costs on a link: its real frames, both ways, not the bits that they carry.

On LoRaWAN the unit is a second of air time; on other links, which have no data rate of their own
here, a byte of the frames.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import final

import numpy as np
import numpy.typing as npt

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.messages import Cause, Dismiss, Hint, HintKind, Report, Request
from bitarm.core.policies import QuietElimination
from bitarm.core.policy import Policy
from bitarm.core.quantizers import Exact
from bitarm.core.spec import RunSpec
from bitarm.errors import ConfigError
from bitarm.planner.candidates import mildest_of, worst_of
from bitarm.planner.question import Question
from bitarm.planner.setting import Setting
from bitarm.runtime.airtime import air_seconds
from bitarm.runtime.links import MIN_REQUEST_BYTES, Direction, Link, require_fit
from bitarm.sim.trials import Trials

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_USUAL_BITS = 8  # any symbol up to 16 bits has the same frame
_HINT = Hint(kind=HintKind.CUT, value=0.0)


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrameCosts:
    """Units of the n-th message of an arm, request and report, with a hint more, and at the end.

    For the arm with the highest number: a frame spells it, in a byte more from 128 on.
    """

    messages: Floats
    hint: float  # what a hint adds to a request, on average
    dismissals: float  # of all arms

    def of(self, trials: Trials, hinted: Integers) -> Floats:
        """Units of each run, of whose requests so many have hints.

        A run's messages count at the average of its rounds: frames differ by a byte or two.
        """
        average = np.cumsum(self.messages) / np.arange(1, self.messages.size + 1)
        rounds = np.minimum(trials.rounds, self.messages.size)
        units: Floats = trials.messages * average[rounds - 1] + hinted * self.hint
        return units + self.dismissals


def frame_costs(link: Link, spec: RunSpec, untils: Sequence[int]) -> FrameCosts:
    """For an arm that reports after so many pulls, message by message."""
    arm = len(spec.arms) - 1
    symbol = Symbol(0, 64 if isinstance(spec.quantizer, Exact) else _USUAL_BITS)
    reports, plain, hinted = [], [], []
    for message, until in enumerate(untils, start=1):
        report = Report(run=0, arm=arm, message=message, symbol=symbol)
        request = Request(run=0, arm=arm, message=message, until=until)
        reports.append(_units(link.up, len(wire.encode(report)), up=True))
        plain.append(_down(link, request))
        hinted.append(_down(link, replace(request, hint=_HINT)))
    return FrameCosts(
        messages=np.array(reports) + np.array(plain),
        hint=float(np.mean(hinted) - np.mean(plain)),
        dismissals=len(spec.arms) * _down(link, Dismiss(run=0, arm=arm, cause=Cause.DROPPED)),
    )


def hinted_requests(policy: Policy, arms: int, trials: Trials) -> Integers:
    """How many requests of each run carry a hint.

    Where one arm goes ahead, the others that follow it are told: K − 1 of them at first, and all
    but one at every later visit, which then takes two rounds.
    """
    hinted = np.zeros_like(trials.messages)
    if not isinstance(policy, QuietElimination):
        return hinted
    if policy.pilot:
        hinted += arms - 1
    if policy.leader_first and not policy.epsilon:
        later = trials.rounds - (2 if policy.pilot else 1)
        hinted += trials.messages - arms - later // 2
    return hinted


def unit_of(link: Link) -> str:
    """What one unit is."""
    return "byte of frames" if link.up.rate is None else "second of air time"


def _down(link: Link, message: Request | Dismiss) -> float:
    return _units(link.down, len(wire.encode(message)), up=False)


@lru_cache(maxsize=256)
def _units(way: Direction, size: int, *, up: bool) -> float:
    return float(size) if way.rate is None else air_seconds(way.rate, size, up=up)


def require_any_fit(link: Link) -> None:
    """Refuse a link that carries no run at all."""
    if link.down.max_bytes < MIN_REQUEST_BYTES:
        raise ConfigError(
            f"no setting fits the link {link.name}: it carries {link.down.max_bytes} bytes down, "
            f"and no request takes less than {MIN_REQUEST_BYTES}"
        )


@final
class Fit:
    """Whether the question's link carries the largest frames of a setting."""

    def __init__(self, question: Question, spec_of: Callable[[Setting], RunSpec]) -> None:
        self._question = question
        self._spec_of = spec_of
        self._known: dict[Setting, bool] = {}
        self.refusal = ""  # why the last setting that did not fit did not

    def carries(self, setting: Setting) -> bool:
        """Judging frames takes longer than a simulation: the ends of a kind are asked first.

        Codewords are longest where steps are smallest, and frames where messages are most; if the
        worst fits, so do all of its kind, and if the mildest does not, none does.
        """
        if self._question.prices.link is None:
            return True
        if self._fits(worst_of(setting)):
            return True
        return self._fits(mildest_of(setting)) and self._fits(setting)

    def _fits(self, setting: Setting) -> bool:
        link = self._question.prices.link
        assert link is not None  # asked above
        if setting not in self._known:
            try:
                require_fit(link, self._spec_of(setting), self._question.limits)
                self._known[setting] = True
            except ConfigError as error:
                self.refusal = str(error)
                self._known[setting] = False
        return self._known[setting]
