"""Questions in frames: a byte that names the form, then the form's numbers.

    1 bins       low, step, bins
    2 nearest    centre, step, divisor, and escape if it is another than 20
    3 levels     step, centre, dither
    4 raw        nothing
    5 pilot      as nearest; and how rewards spread
    6 edge       as nearest, rung, spread; where the mean is at least
    7 challenge  edge, step, 16·rung + steps below the edge, three hurdles

Before all of them comes until, behind them the scale on which evidence is to be kept, if there is
one. The byte's 32 says that an escape is spelt, 64 that rewards have bounds, 128 that the scale is
spelt: low and unit if there are bounds, else σ. With 64 alone they are 0 and 1. All questions of a
packed frame have one such byte.

A new code is a new form: last in `_FORMS`, since a form's place is its number, and in the line of
names below it. `_form_of` says which questions have it, `numbers_of` what is written of them, and
`_code` what is read.
"""

from collections.abc import Sequence
from typing import assert_never

from bitarm.core.codes import Above, Bins, Code, Levels, Nearest, Raw
from bitarm.core.codes.prefix import ESCAPE
from bitarm.core.dither import DITHER_BITS
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.tasks import MOST_BELOW, Challenge, Edge, Pilot
from bitarm.core.question import Question
from bitarm.errors import CorruptFrameError, LocalProtocolError
from bitarm.wire.frames.columns import LONGEST_REAL, Column, Spelling, write
from bitarm.wire.frames.cursor import Cursor

UNTIL = Column("until", "pull until {} pulls in all")
_STEP = Column("step", "in steps of {}", Spelling.REAL)
_ESCAPE = Column("escape", "a unary part of {} ones escapes to Elias' code")
_NEAREST_STEP = (
    Column("centre", "say how far the mean is from {}", Spelling.REAL),
    _STEP,
    Column("divisor", "Golomb's divisor {}"),
)
_HURDLES = tuple(
    Column("hurdle", f"what the {place} of them must reach: byte {{}}", Spelling.BYTE)
    for place in ("first", "second", "third")
)

_FORMS: tuple[tuple[str, tuple[Column, ...]], ...] = (
    (
        Bins.name,
        (Column("low", "bins begin at {}", Spelling.REAL), _STEP, Column("bins", "{} bins")),
    ),
    (Nearest.name, _NEAREST_STEP),
    (
        Levels.name,
        (
            _STEP,
            Column("centre", "levels are counted from {}", Spelling.SIGNED),
            Column("dither", "round up if the fraction is above {}", Spelling.FRACTION),
        ),
    ),
    (Raw.name, ()),
    (Pilot.name, _NEAREST_STEP),
    (
        Edge.name,
        (
            *_NEAREST_STEP,
            Column("rung", "evidence at the rates of rung {} and the two after it"),
            Column("spread", "a coin's variance times 2^{}", Spelling.SIGNED),
        ),
    ),
    (
        Challenge.name,
        (
            Column("edge", "the leader's edge is at {}", Spelling.REAL),
            _STEP,
            Column("rung and start", "16 times the first rung, and steps below the edge: {}"),
            *_HURDLES,
        ),
    ),
)
_BINS, _NEAREST, _LEVELS, _RAW, _PILOT, _EDGE, _CHALLENGE = range(1, len(_FORMS) + 1)

_WITH_ESCAPE = 0x20  # spelt only where it is not the usual one: it would cost every request a byte
_BOUNDED = 0x40
_SPELT = 0x80  # rewards in [0, 1] are so common that nothing is spelt of them
_FORM = 0x1F

_LOW = Column("low", "evidence counts from {}", Spelling.REAL)
_UNIT = Column("unit", "of evidence: {}", Spelling.REAL)
_UNIT_INTERVAL = Scale(bounded=True, low=0.0, unit=1.0)

_SCALES = {
    _NEAREST: (0, _BOUNDED, _SPELT, _BOUNDED | _SPELT),
    _PILOT: (_BOUNDED, _BOUNDED | _SPELT),
    _EDGE: (_BOUNDED, _BOUNDED | _SPELT),
    _CHALLENGE: (_BOUNDED, _SPELT, _BOUNDED | _SPELT),
}
_TAGS = frozenset(
    form | scale | escape
    for form in range(1, len(_FORMS) + 1)
    for scale in _SCALES.get(form, (0,))
    for escape in ((0, _WITH_ESCAPE) if form in (_NEAREST, _PILOT, _EDGE) else (0,))
)


def tag_of(question: Question) -> int:
    """The byte that says which numbers a question has; LocalProtocolError if there is none."""
    form, code, scale = _form_of(question), question.code, question.scale
    tag = form
    if isinstance(code, Nearest) and code.escape != ESCAPE:
        tag |= _WITH_ESCAPE
    if scale is not None:
        tag |= _BOUNDED if scale.bounded else _SPELT
        tag |= _SPELT if scale != _UNIT_INTERVAL else 0
    if tag not in _TAGS:
        raise LocalProtocolError(f"no frame has the code {code.name} and a scale")
    return tag


def _form_of(question: Question) -> int:
    match question.task:
        case Pilot():
            return _PILOT
        case Edge():
            return _EDGE
        case Challenge():
            return _CHALLENGE
        case None:
            pass
        case other:
            assert_never(other)
    match question.code:
        case Bins():
            return _BINS
        case Nearest():
            return _NEAREST
        case Levels():
            return _LEVELS
        case Raw():
            return _RAW
        case Above():
            raise LocalProtocolError("the code above has no frame but that of a challenge")


def read_tag(cursor: Cursor) -> int:
    """The byte that comes next, if it names a form."""
    tag = cursor.take(8)
    if tag not in _TAGS:
        raise CorruptFrameError(f"no form of a question is called {tag:02x}")
    cursor.note("question", tag, "tell the mean, in the form {1}", _FORMS[(tag & _FORM) - 1][0])
    return tag


def columns_of(tag: int) -> tuple[Column, ...]:
    """The numbers of a question with this byte, in order."""
    escape = (_ESCAPE,) if tag & _WITH_ESCAPE else ()
    scale = (_LOW, _UNIT) if tag & _BOUNDED else (_UNIT,)
    return (UNTIL, *_FORMS[(tag & _FORM) - 1][1], *escape, *(scale if tag & _SPELT else ()))


def numbers_of(question: Question) -> list[float]:
    """A question's numbers, in the order of its columns."""
    numbers: list[float] = [question.until]
    code, task, scale = question.code, question.task, question.scale
    match code:
        case Bins():
            numbers += code.low, code.step, code.bins
        case Nearest():
            numbers += code.centre, code.step, code.divisor
        case Levels():
            numbers += code.step, code.centre, code.dither
        case Above():
            numbers += _of_challenge(question)
        case Raw():
            pass
        case other:
            assert_never(other)
    if isinstance(task, Edge):
        numbers += task.first, task.spread
    if isinstance(code, Nearest) and code.escape != ESCAPE:
        numbers.append(code.escape)
    if scale is not None and scale != _UNIT_INTERVAL:
        numbers += (scale.low, scale.unit) if scale.bounded else (scale.unit,)
    return numbers


def _of_challenge(question: Question) -> tuple[float, ...]:
    code, task = question.code, question.task
    assert isinstance(code, Above)  # as the question has checked
    assert isinstance(task, Challenge)  # or it had no byte
    below = (task.edge - code.low) / code.step
    if below not in range(MOST_BELOW + 1):
        raise LocalProtocolError(
            f"a challenge is answered from 0 to {MOST_BELOW} steps below the edge, not {below}"
        )
    return task.edge, code.step, (MOST_BELOW + 1) * task.first + below, *task.hurdles


def question_of(tag: int, numbers: Sequence[float]) -> Question:
    """The question that has these numbers; one that no agent could answer is corrupt."""
    until, *rest = numbers
    form = tag & _FORM
    try:
        scale = _scale(tag, rest)
        if form == _CHALLENGE:
            return _challenge(int(until), rest, scale)
        escape = int(rest.pop()) if tag & _WITH_ESCAPE else ESCAPE
        if tag & _WITH_ESCAPE and escape == ESCAPE:
            raise CorruptFrameError(f"an escape of {ESCAPE} is the usual one, and must be left out")
        task: Pilot | Edge | None = Pilot() if form == _PILOT else None
        if form == _EDGE:
            spread = int(rest.pop())
            task = Edge(first=int(rest.pop()), spread=spread)
        return Question(until=int(until), code=_code(form, rest, escape), scale=scale, task=task)
    except LocalProtocolError as error:
        raise CorruptFrameError(f"no code fits this question: {error}") from None


def longest_bytes(question: Question) -> int:
    """Bytes that a question's numbers take, were all its reals as long as reals can be."""
    body, reals = bytearray(), 0
    for column, number in zip(columns_of(tag_of(question)), numbers_of(question), strict=True):
        if column.spelling is Spelling.REAL:
            reals += 1
        else:
            write(body, column, number)
    return len(body) + LONGEST_REAL * reals


def require_spellable_question(question: Question) -> None:
    """Check what a frame cannot hold of a question that is sound otherwise."""
    code = question.code
    if isinstance(code, Levels) and code.dither * 2**DITHER_BITS % 1:
        raise LocalProtocolError(f"dither must be a multiple of 2^−32, got {code.dither}")
    tag_of(question)
    if isinstance(code, Above):
        _of_challenge(question)


def _scale(tag: int, numbers: list[float]) -> Scale | None:
    """The scale; its numbers, which come last, are taken off."""
    if not tag & (_BOUNDED | _SPELT):
        return None
    if not tag & _SPELT:
        return _UNIT_INTERVAL
    unit = numbers.pop()
    if not tag & _BOUNDED:
        return Scale(bounded=False, low=0.0, unit=unit)
    scale = Scale(bounded=True, low=numbers.pop(), unit=unit)
    if scale == _UNIT_INTERVAL:
        raise CorruptFrameError("rewards in [0, 1] are said in the question's byte")
    return scale


def _challenge(until: int, numbers: Sequence[float], scale: Scale | None) -> Question:
    edge, step, start, *hurdles = numbers
    rung, below = divmod(int(start), MOST_BELOW + 1)
    one, two, three = map(int, hurdles)
    task = Challenge(edge=edge, first=rung, hurdles=(one, two, three))
    code = Above(low=edge - below * step, step=step)
    return Question(until=until, code=code, scale=scale, task=task)


def _code(form: int, numbers: Sequence[float], escape: int) -> Code:
    if form == _BINS:
        low, step, bins = numbers
        return Bins(low=low, step=step, bins=int(bins))
    if form in (_NEAREST, _PILOT, _EDGE):
        centre, step, divisor = numbers
        return Nearest(centre=centre, step=step, divisor=int(divisor), escape=escape)
    if form == _LEVELS:
        step, level, dither = numbers
        return Levels(step=step, centre=int(level), dither=dither)
    assert form == _RAW  # `read_tag` has refused every other
    return Raw()
