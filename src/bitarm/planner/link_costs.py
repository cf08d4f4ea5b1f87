"""What a run costs on a link: its real frames, both ways, not the bits that they carry.

On LoRaWAN the unit is a second of air time; on other links, which have no data rate of their own
here, a byte of the frames.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import final

import numpy as np

from bitarm import wire
from bitarm.core.bits import Symbol
from bitarm.core.confidence import Stride
from bitarm.core.messages import Cause, Dismiss, Report, Request
from bitarm.core.policies import POLICIES
from bitarm.core.policies.challenge import PILOTS
from bitarm.core.question import Question
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.errors import ConfigError
from bitarm.links.airtime import air_seconds
from bitarm.links.dismissals import expected_dismissals
from bitarm.links.fit import limits_on, require_fit
from bitarm.links.profiles import Direction, Link
from bitarm.planner.candidates import mildest_of, worst_of
from bitarm.planner.judged_questions import FIRST_ROUNDS, judged_questions
from bitarm.planner.planning_task import PlanningTask
from bitarm.planner.scheme_words import SchemeWords
from bitarm.sim.kernels.arrays import Floats
from bitarm.sim.trials import Trials
from bitarm.wire.frames.short import MAX_SYMBOL_BITS

_FEW_BITS = 8  # any symbol up to 16 bits has the same frame


def run_units(link: Link, setup: Setup, untils: Sequence[int], trials: Trials) -> Floats:
    """Units of the frames of each run, for arms that report after so many pulls.

    Every arm counts as the one with the highest number, which a frame spells.
    """
    arms, is_judged = len(setup.spec.arms), setup.policy.stride is Stride.JUDGED
    dismissal = _down(link, Dismiss(run=0, arm=arms - 1, cause=Cause.DROPPED))
    dismissals = expected_dismissals(link, arms=arms, is_judged=is_judged) * dismissal
    if is_judged:
        return dismissals + _judged_units(link, setup.spec, untils, trials)
    return dismissals + _message_units(link, setup.spec, untils, trials)


def _message_units(link: Link, spec: RunSpec, untils: Sequence[int], trials: Trials) -> Floats:
    """Units of all requests and reports, where message n of an arm is at checkpoint n.

    A run's messages count at the average of its rounds and of its codewords: frames differ by
    a byte or two. Where codewords are 12 bits on average, half of them are taken to be too
    long for a short frame.
    """
    arm = len(spec.arms) - 1
    asked = [
        _down(link, Request(run=0, arm=arm, message=message, question=question))
        + _report(link, arm, message, _FEW_BITS)
        for message, question in enumerate(_questions(spec, untils), start=1)
    ]
    average = np.cumsum(asked) / np.arange(1, len(asked) + 1)
    each = average[np.minimum(trials.rounds, len(asked)) - 1]
    bits = trials.payload_bits / trials.messages
    share = np.clip((bits - _FEW_BITS) / (MAX_SYMBOL_BITS - _FEW_BITS), 0, 1)
    lengths, which = np.unique(
        np.maximum(np.ceil(bits), MAX_SYMBOL_BITS + 1).astype(np.int64), return_inverse=True
    )
    usual = _report(link, arm, 1, _FEW_BITS)
    more = np.array([_report(link, arm, 1, length) - usual for length in lengths.tolist()])[which]
    units: Floats = trials.messages * (each + share * more)
    return units


def _judged_units(link: Link, spec: RunSpec, untils: Sequence[int], trials: Trials) -> Floats:
    """Units of all requests and reports, where agents judge themselves.

    After the first words every other round is the leader's alone, and the arms that it challenges
    speak in those between; who is only asked for its place counts as one of them. Words are short.
    """
    arms = len(spec.arms)
    rounds = FIRST_ROUNDS if arms > PILOTS else FIRST_ROUNDS - 1
    leads = np.minimum(np.maximum(trials.rounds - rounds + 1, 0) // 2, trials.messages - arms)
    report = _report(link, arms - 1, 2, _FEW_BITS)
    first, lead, challenge = (
        report + _down(link, Request(run=0, arm=arms - 1, message=2, question=question))
        for question in judged_questions(spec, *untils)
    )
    units: Floats = arms * first + leads * lead + (trials.messages - arms - leads) * challenge
    return units


def _report(link: Link, arm: int, message: int, bits: int) -> float:
    frame = wire.encode(Report(run=0, arm=arm, message=message, symbol=Symbol(0, bits)))
    return _units(link.up, len(frame), up=True)


def _questions(spec: RunSpec, untils: Sequence[int]) -> Iterator[Question]:
    """What the setting's quantizer asks of an arm whose mean, a third of the way into the bounds or
    a third of σ, is told with an error of one deviation, upwards and downwards in turn.

    A frame spells every digit of a told mean, so means must be such as are told.
    """
    a, b = spec.bounds or (0.0, spec.sigma)
    held, side = spec.start(0), 1.0
    for message, until in enumerate(untils, start=1):
        step = spec.occasion(message, until)
        question = spec.quantizer.question(held, step, 0.0)
        yield question
        mean = a + (b - a) / 3 + side * spec.sigma / math.sqrt(until)
        if spec.bounds is not None:
            mean = min(max(mean, a), b)
        held, side = spec.quantizer.read(question.answer(mean), question, held, step), -side


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
        """Whether the link carries the largest frames that a setting can have.

        To find that out takes longer than a simulation, so the ends of a kind are asked first:
        codewords are longest where steps are smallest, and frames where messages are most; if the
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
                spec = self._spec_of(setting)
                require_fit(link, spec, limits_on(link, spec, self._task.limits), stride)
                self._known[setting] = True
            except ConfigError as error:
                self.refusal = str(error)
                self._known[setting] = False
        return self._known[setting]
