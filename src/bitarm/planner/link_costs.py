"""What a message costs on a link: its real frames, both ways, not the bits that they carry.

On LoRaWAN the unit is a second of air time; on other links, which have no data rate of their own
here, a byte of the frames.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import final

import numpy as np

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.messages import Cause, Dismiss, Report, Request
from bitarm.core.policies import POLICIES
from bitarm.core.quantizer import Estimate
from bitarm.core.spec import RunSpec
from bitarm.errors import ConfigError
from bitarm.links.airtime import air_seconds
from bitarm.links.fit import require_fit
from bitarm.links.profiles import Direction, Link
from bitarm.planner.candidates import mildest_of, worst_of
from bitarm.planner.planning_task import PlanningTask
from bitarm.planner.scheme_words import SchemeWords
from bitarm.sim.kernels.arrays import Floats
from bitarm.sim.trials import Trials
from bitarm.wire.frames.short import MAX_SYMBOL_BITS

_FEW_BITS = 8  # any symbol up to 16 bits has the same frame


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrameCosts:
    """Units of frames of one arm: that with the highest number, which a frame spells."""

    messages: Floats  # of its n-th message, request and report with a symbol of few bits
    cut: float  # what a cut adds to a request, on average
    longer: Callable[[int], float]  # what a symbol of so many bits adds to a report
    dismissals: float  # of all arms

    def of(self, trials: Trials) -> Floats:
        """Units of each run.

        A run's messages count at the average of its rounds and of its codewords: frames differ by
        a byte or two. Where codewords are 12 bits on average, half of them are taken to be too
        long for a short frame.
        """
        average = np.cumsum(self.messages) / np.arange(1, self.messages.size + 1)
        each = average[np.minimum(trials.rounds, self.messages.size) - 1]
        bits = trials.payload_bits / trials.messages
        share = np.clip((bits - _FEW_BITS) / (MAX_SYMBOL_BITS - _FEW_BITS), 0, 1)
        lengths, which = np.unique(
            np.maximum(np.ceil(bits), MAX_SYMBOL_BITS + 1).astype(np.int64), return_inverse=True
        )
        more = np.array([self.longer(length) for length in lengths.tolist()])[which]
        units: Floats = trials.messages * (each + share * more) + trials.cuts * self.cut
        return units + self.dismissals


def frame_costs(link: Link, spec: RunSpec, untils: Sequence[int]) -> FrameCosts:
    """For an arm that reports after so many pulls, message by message."""
    arms = len(spec.arms)

    def report(message: int, bits: int) -> float:
        frame = wire.encode(Report(run=0, arm=arms - 1, message=message, symbol=Symbol(0, bits)))
        return _units(link.up, len(frame), up=True)

    requests = list(_requests(spec, untils))
    plain = np.array([_down(link, request) for request in requests])
    with_cut = [
        _down(link, replace(request, question=replace(request.question, cut=0.0)))
        for request in requests
    ]
    return FrameCosts(
        messages=plain + np.array([report(request.message, _FEW_BITS) for request in requests]),
        cut=float(np.mean(with_cut) - np.mean(plain)),
        longer=lambda bits: report(1, bits) - report(1, _FEW_BITS),
        dismissals=arms * _down(link, Dismiss(run=0, arm=arms - 1, cause=Cause.DROPPED)),
    )


def _requests(spec: RunSpec, untils: Sequence[int]) -> Iterator[Request]:
    """What the setting's quantizer asks, of a mean in the middle of the bounds or at σ.

    Of the numbers in a question only those of variable length depend on the mean, and by a byte.
    """
    a, b = spec.bounds or (spec.sigma, spec.sigma)
    mean = a / 2 + b / 2
    held = spec.start(0)
    for message, until in enumerate(untils, start=1):
        step = spec.occasion(message, until)
        question = spec.quantizer.question(held, step, 0.0)
        yield Request(run=0, arm=len(spec.arms) - 1, message=message, question=question)
        held = Estimate.after(step, mean=mean, error=spec.quantizer.error(held, step))


def unit_of(link: Link) -> str:
    """What `per_frame_unit` is the price of, in words."""
    return "byte of frames" if link.up.rate is None else "second of air time"


def _down(link: Link, message: Request | Dismiss) -> float:
    return _units(link.down, len(wire.encode(message)), up=False)


@lru_cache(maxsize=256)
def _units(way: Direction, size: int, *, up: bool) -> float:
    return float(size) if way.rate is None else air_seconds(way.rate, size, up=up)


@final
class LinkCheck:
    """Whether the task's link carries the largest frames of a setting."""

    def __init__(self, task: PlanningTask, spec_of: Callable[[SchemeWords], RunSpec]) -> None:
        self._task = task
        self._spec_of = spec_of
        self._known: dict[SchemeWords, bool] = {}
        self.refusal = ""  # why the last setting that did not fit did not

    def carries(self, setting: SchemeWords) -> bool:
        """Judging frames takes longer than a simulation: the ends of a kind are asked first.

        Codewords are longest where steps are smallest, and frames where messages are most; if the
        worst fits, so do all of its kind, and if the mildest does not, none does.
        """
        if self._task.prices.link is None:
            return True
        if self._fits(worst_of(setting, self._task)):
            return True
        return self._fits(mildest_of(setting, self._task)) and self._fits(setting)

    def _fits(self, setting: SchemeWords) -> bool:
        link = self._task.prices.link
        assert link is not None  # asked above
        if setting not in self._known:
            try:
                stride = POLICIES[setting.words["policy"]].stride
                require_fit(link, self._spec_of(setting), self._task.limits, stride)
                self._known[setting] = True
            except ConfigError as error:
                self.refusal = str(error)
                self._known[setting] = False
        return self._known[setting]
