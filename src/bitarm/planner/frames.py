"""What a message costs on a link: its real frames, both ways, not the bits that they carry.

On LoRaWAN the unit is a second of air time; on other links, which have no data rate of their own
here, a byte of the frames.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import final

import numpy as np
import numpy.typing as npt

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.messages import Cause, Dismiss, Report, Request
from bitarm.core.quantizers import Exact
from bitarm.core.spec import RunSpec
from bitarm.errors import ConfigError
from bitarm.planner.candidates import mildest_of, worst_of
from bitarm.planner.question import Question
from bitarm.planner.setting import Setting
from bitarm.runtime.airtime import air_seconds
from bitarm.runtime.links import MIN_REQUEST_BYTES, Direction, Link, require_fit

Floats = npt.NDArray[np.float64]

_USUAL_BITS = 8  # any symbol up to 16 bits has the same frame


def frame_costs(link: Link, spec: RunSpec, depth: int) -> tuple[Floats, float]:
    """Units of the n-th message of an arm, request and report; and of dismissing all arms.

    For the arm with the highest number: a frame spells it, in a byte more from 128 on.
    """
    arm = len(spec.arms) - 1
    symbol = Symbol(0, 64 if isinstance(spec.quantizer, Exact) else _USUAL_BITS)
    costs = []
    for message in range(1, depth + 1):
        until = spec.schedule.pulls_at(message)
        if until is None:
            break
        report = Report(run=0, arm=arm, message=message, symbol=symbol)
        request = Request(run=0, arm=arm, message=message, until=until)
        costs.append(_units(link.up, len(wire.encode(report)), up=True) + _down(link, request))
    dismissal = _down(link, Dismiss(run=0, arm=arm, cause=Cause.DROPPED))
    return np.array(costs), len(spec.arms) * dismissal


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
