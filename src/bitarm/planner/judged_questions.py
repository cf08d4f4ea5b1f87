"""What agents that judge themselves are typically asked: a first word, a lead, a challenge.

For the price of frames. Their numbers are of variable length, and differ by a byte or two between
runs; here they are those of a mean inside the bounds, or of one above σ.
"""

import math

from bitarm.core.codes import Nearest
from bitarm.core.confidence import Stride
from bitarm.core.evidence.evidence import Evidence
from bitarm.core.evidence.tasks import Challenge, Edge, Task
from bitarm.core.hint import Hint, HintKind
from bitarm.core.quantizer import Estimate
from bitarm.core.question import Question
from bitarm.core.spec import RunSpec

FIRST_ROUNDS = 3
"""Rounds until all arms have spoken: the pilot, two more, the rest."""

_RUNG = 8  # of a leader's evidence: from here on it is two bytes long in a challenge
_HURDLES = (64, 64, 64)  # any bytes are as long
_BELOW = 2.0  # deviations from a leader's edge to the cut
_PLACE = 0.43  # of a mean within the bounds, and 1 + this in σ: a round number would be shorter


def judged_questions(spec: RunSpec, first: int, last: int) -> tuple[Question, Question, Question]:
    """A first word after `first` pulls, and a lead and a challenge halfway from there to `last`."""
    evidence = spec.sampling.confidence(Stride.JUDGED)
    assert isinstance(evidence, Evidence)  # no other width fits such a policy
    mean, later = _mean(spec), max(first + 1, round(math.sqrt(first * last)))

    def asked(kind: HintKind, pulls: int, value: float, task: Task | None = None) -> Question:
        noise = evidence.noise(mean, 0, pulls)
        hint = Hint(
            kind=kind,
            value=value,
            deviation=noise / math.sqrt(pulls),
            moved=noise / math.sqrt(pulls),
            scale=evidence.scale,
            task=task,
        )
        held = spec.start(0)
        if kind is not HintKind.CENTRE:
            occasion = spec.occasion(1, first, hint)
            error = spec.quantizer.error(held, occasion)
            held = Estimate.after(occasion, mean=mean, error=error)
        occasion = spec.occasion(1 if kind is HintKind.CENTRE else 2, pulls, hint)
        return spec.quantizer.question(held, occasion, 0.0)

    edge_task = Edge(first=_RUNG, spread=0) if evidence.scale.bounded else None
    lead = asked(HintKind.LEADER, later, mean, edge_task)
    assert isinstance(lead.code, Nearest)  # as agents that judge are asked
    edge = lead.code.centre - lead.code.step / 2
    cut = edge - _BELOW * evidence.noise(mean, 0, later) / math.sqrt(later)
    task = Challenge(edge=edge, first=_RUNG, hurdles=_HURDLES)
    challenge = asked(HintKind.CHALLENGE, later, cut, task)
    return asked(HintKind.CENTRE, first, mean), lead, challenge


def _mean(spec: RunSpec) -> float:
    if spec.bounds is None:
        return spec.sigma * (1 + _PLACE)
    a, b = spec.bounds
    return a + _PLACE * (b - a)
