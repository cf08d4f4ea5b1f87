"""Questions in frames: a byte that names the form, then the form's numbers.

    1 bins       low, step, bins
    2 nearest    centre, step, divisor, and escape if it is another than 20
    3 levels     step, centre, dither
    4 raw        nothing
    5 evidence   exponent, centre, step, divisor: nearest, and evidence is to be kept
    6 pilot      the same, and how rewards spread
    7 edge       the same, rung, spread
    8 challenge  exponent, edge, step, 16·rung + steps below the edge, three hurdles

The byte's 32 says that an escape follows. From form 5 on, steps, centres and edges are whole
numbers of one power of two, whose exponent is told; then comes the scale on which evidence is kept:
nothing for rewards in [0, 1] (64), the two numbers of σ (128), or the four of low and unit. All
questions of a packed frame have one such byte.
"""

import math
from collections.abc import Sequence
from typing import assert_never

from bitarm.core.codes import Above, Bins, Code, Levels, Nearest, Raw
from bitarm.core.codes.prefix import ESCAPE
from bitarm.core.dither import DITHER_BITS
from bitarm.core.evidence.account import Scale
from bitarm.core.evidence.tasks import MOST_BELOW, Challenge, Edge, Pilot
from bitarm.core.question import Question
from bitarm.errors import CorruptFrameError, LocalProtocolError
from bitarm.wire.frames.columns import Column, Spelling
from bitarm.wire.frames.cursor import Cursor

UNTIL = Column("until", "pull until {} pulls in all")
_STEP = Column("step", "in steps of {}", Spelling.FLOAT)
_ESCAPE = Column("escape", "a unary part of {} ones escapes to Elias' code")
_DIVISOR = Column("divisor", "Golomb's divisor {}")
_EXPONENT = Column("exponent", "lengths are counted in 2^{}", Spelling.SIGNED)
_UNITS = Column("step", "in steps of {} such lengths")
_PLACE = (
    _EXPONENT,
    Column("centre", "say how far the mean is from {} such lengths", Spelling.SIGNED),
    _UNITS,
    _DIVISOR,
)
_RUNG = Column("rung", "evidence at the rates of rung {} and the two after it")
_HURDLES = tuple(
    Column("hurdle", f"what the {place} of them must reach: byte {{}}", Spelling.BYTE)
    for place in ("first", "second", "third")
)

_FORMS: tuple[tuple[str, tuple[Column, ...]], ...] = (
    (
        Bins.name,
        (
            Column("low", "bins begin at {}", Spelling.FLOAT),
            _STEP,
            Column("bins", "{} bins"),
        ),
    ),
    (
        Nearest.name,
        (Column("centre", "say how far the mean is from {}", Spelling.FLOAT), _STEP, _DIVISOR),
    ),
    (
        Levels.name,
        (
            _STEP,
            Column("centre", "levels are counted from {}", Spelling.SIGNED),
            Column("dither", "round up if the fraction is above {}", Spelling.FRACTION),
        ),
    ),
    (Raw.name, ()),
    ("evidence", _PLACE),
    (Pilot.name, _PLACE),
    (
        Edge.name,
        (*_PLACE, _RUNG, Column("spread", "a coin's variance times 2^{}", Spelling.SIGNED)),
    ),
    (
        Challenge.name,
        (
            _EXPONENT,
            Column("edge", "the leader's edge is at {} such lengths", Spelling.SIGNED),
            _UNITS,
            Column("rung and start", "16 times the first rung, and steps below the edge: {}"),
            *_HURDLES,
        ),
    ),
)
_BINS, _NEAREST, _LEVELS, _RAW, _EVIDENCE, _PILOT, _EDGE, _CHALLENGE = range(1, len(_FORMS) + 1)
_WITH_ESCAPES = (_NEAREST, _EVIDENCE, _PILOT, _EDGE)

_WITH_ESCAPE = 0x20  # spelt only where it is not the usual one: it would cost every request a byte
_UNIT_SCALE = 0x40  # rewards in [0, 1]: nothing to spell
_SIGMA_SCALE = 0x80
_FORM = 0x1F

_UNIT = (
    Column("unit", "of evidence: {} times"),
    Column("unit exponent", "2^{}", Spelling.SIGNED),
)
_LOW = (
    Column("low", "evidence counts from {} times", Spelling.SIGNED),
    Column("low exponent", "2^{}", Spelling.SIGNED),
)
_UNIT_INTERVAL = Scale(bounded=True, low=0.0, unit=1.0)


def tag_of(question: Question) -> int:
    """The byte that says which numbers a question has."""
    tag = _form_of(question)
    code, scale = question.code, question.scale
    if isinstance(code, Nearest) and code.escape != ESCAPE:
        tag |= _WITH_ESCAPE
    if scale is None:
        return tag
    if scale == _UNIT_INTERVAL:
        return tag | _UNIT_SCALE
    return tag if scale.bounded else tag | _SIGMA_SCALE


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
            return _NEAREST if question.scale is None else _EVIDENCE
        case Levels():
            return _LEVELS
        case Raw():
            return _RAW
        case Above():
            raise LocalProtocolError("the code above has no frame but that of a challenge")


def read_tag(cursor: Cursor) -> int:
    """The byte that comes next, if it names a form."""
    tag = cursor.take(8)
    form, scaled = tag & _FORM, tag & (_UNIT_SCALE | _SIGMA_SCALE)
    if not 1 <= form <= len(_FORMS) or (
        (tag & _WITH_ESCAPE and form not in _WITH_ESCAPES)
        or (scaled and (form < _EVIDENCE or scaled == _UNIT_SCALE | _SIGMA_SCALE))
    ):
        raise CorruptFrameError(f"no form of a question is called {tag:02x}")
    cursor.note("question", tag, "tell the mean, in the form {1}", _FORMS[form - 1][0])
    return tag


def columns_of(tag: int) -> tuple[Column, ...]:
    """The numbers of a question with this byte, in order."""
    form = tag & _FORM
    escape = (_ESCAPE,) if tag & _WITH_ESCAPE else ()
    return (UNTIL, *_FORMS[form - 1][1], *escape, *_scale_columns(tag))


def _scale_columns(tag: int) -> tuple[Column, ...]:
    if tag & _FORM < _EVIDENCE or tag & _UNIT_SCALE:
        return ()
    return _UNIT if tag & _SIGMA_SCALE else (*_LOW, *_UNIT)


def numbers_of(question: Question) -> list[float]:
    """A question's numbers, in the order of its columns."""
    numbers: list[float] = [question.until]
    task, code = question.task, question.code
    if isinstance(task, Challenge):
        assert isinstance(code, Above)  # as the question has checked
        exponent, edge, step = _lengths(task.edge, code.step)
        below = (task.edge - code.low) / code.step
        if below not in range(MOST_BELOW + 1):
            raise LocalProtocolError(
                f"a challenge is answered from 0 to {MOST_BELOW} steps below the edge, not {below}"
            )
        numbers += exponent, edge, step, (MOST_BELOW + 1) * task.first + below, *task.hurdles
    elif question.scale is not None:
        if not isinstance(code, Nearest):
            raise LocalProtocolError(f"no frame has the code {code.name} and a scale")
        exponent, centre, step = _lengths(code.centre, code.step)
        numbers += exponent, centre, step, code.divisor
        if isinstance(task, Edge):
            numbers += task.first, task.spread
    else:
        match code:
            case Bins():
                numbers += code.low, code.step, code.bins
            case Nearest():
                numbers += code.centre, code.step, code.divisor
            case Levels():
                numbers += code.step, code.centre, code.dither
            case Raw() | Above():
                pass
            case other:
                assert_never(other)
    if isinstance(code, Nearest) and code.escape != ESCAPE:
        numbers.append(code.escape)
    scale = question.scale
    if scale is not None and scale != _UNIT_INTERVAL:
        if scale.bounded:
            numbers += _parts(scale.low)
        numbers += _parts(scale.unit)
    return numbers


def question_of(tag: int, numbers: Sequence[float]) -> Question:
    """The question that has these numbers; one that no agent could answer is corrupt."""
    until, *rest = numbers
    try:
        scale, rest = _scale(tag, rest)
        escape = int(rest.pop()) if tag & _WITH_ESCAPE else ESCAPE
        if tag & _WITH_ESCAPE and escape == ESCAPE:
            raise CorruptFrameError(f"an escape of {ESCAPE} is the usual one, and must be left out")
        if scale is not None:
            return _of_evidence(tag & _FORM, int(until), rest, escape, scale)
        return Question(until=int(until), code=_code(tag & _FORM, rest, escape))
    except LocalProtocolError as error:
        raise CorruptFrameError(f"no code fits this question: {error}") from None


def require_spellable_question(question: Question) -> None:
    """Check what a frame cannot hold of a question that is sound otherwise."""
    code = question.code
    if isinstance(code, Levels) and code.dither * 2**DITHER_BITS % 1:
        raise LocalProtocolError(f"dither must be a multiple of 2^−32, got {code.dither}")
    if question.scale is not None or question.task is not None:
        numbers_of(question)


def _code(form: int, numbers: Sequence[float], escape: int) -> Code:
    if form == _BINS:
        low, step, bins = numbers
        return Bins(low=low, step=step, bins=int(bins))
    if form == _NEAREST:
        centre, step, divisor = numbers
        return Nearest(centre=centre, step=step, divisor=int(divisor), escape=escape)
    if form == _LEVELS:
        step, level, dither = numbers
        return Levels(step=step, centre=int(level), dither=dither)
    assert form == _RAW  # `read_tag` has refused every other
    return Raw()


def _of_evidence(
    form: int, until: int, numbers: Sequence[float], escape: int, scale: Scale
) -> Question:
    exponent, place, step, *rest = (int(number) for number in numbers)
    _require_shortest(place, step)
    if form == _CHALLENGE:
        rung, below = divmod(rest[0], MOST_BELOW + 1)
        one, two, three = rest[1:]
        challenge = Challenge(edge=_length(place, exponent), first=rung, hurdles=(one, two, three))
        size = _length(step, exponent)
        above = Above(low=challenge.edge - below * size, step=size)
        return Question(until=until, code=above, scale=scale, task=challenge)
    divisor, *rest = rest
    nearest = Nearest(
        centre=_length(place, exponent),
        step=_length(step, exponent),
        divisor=divisor,
        escape=escape,
    )
    if form == _EVIDENCE:
        return Question(until=until, code=nearest, scale=scale)
    if form == _PILOT:
        return Question(until=until, code=nearest, scale=scale, task=Pilot())
    rung, spread = rest
    edge = Edge(first=rung, spread=spread)
    return Question(until=until, code=nearest, scale=scale, task=edge)


def _scale(tag: int, numbers: list[float]) -> tuple[Scale | None, list[float]]:
    """The scale, and the numbers before it."""
    if tag & _FORM < _EVIDENCE:
        return None, numbers
    if tag & _UNIT_SCALE:
        return _UNIT_INTERVAL, numbers
    *rest, mantissa, exponent = numbers
    unit = _whole(int(mantissa), int(exponent))
    if tag & _SIGMA_SCALE:
        return Scale(bounded=False, low=0.0, unit=unit), rest
    *rest, mantissa, exponent = rest
    scale = Scale(bounded=True, low=_whole(int(mantissa), int(exponent)), unit=unit)
    if scale == _UNIT_INTERVAL:
        raise CorruptFrameError("rewards in [0, 1] are said in the question's byte")
    return scale, rest


# -- lengths: floats as whole numbers of a power of two -------------------------------------------


def _parts(value: float) -> tuple[int, int]:
    """The odd number and the power of two whose product a float is; 0 is 0 and 0."""
    numerator, denominator = value.as_integer_ratio()
    if not numerator:
        return 0, 0
    twos = (numerator & -numerator).bit_length() - 1
    return numerator >> twos, twos - (denominator.bit_length() - 1)


def _lengths(*values: float) -> tuple[int, ...]:
    """The largest power of two of which all values are whole multiples; and those.

    LocalProtocolError if one is too large a multiple to be spelt: a frame is for numbers that were
    chosen to be short.
    """
    exponent = min(_parts(value)[1] for value in values if value)
    # Compared where nothing overflows: of two numbers that are far apart, the quotient is no float.
    if not all(math.frexp(value)[1] - exponent <= _MOST_DIGITS for value in values if value):
        raise LocalProtocolError(f"{values} are no short multiples of one power of two")
    counts = [math.ldexp(value, -exponent) for value in values]
    return exponent, *(int(count) for count in counts)


_MOST_DIGITS = 53
_MOST_LENGTHS = 2.0**_MOST_DIGITS


def _length(count: int, exponent: int) -> float:
    if abs(count) < _MOST_LENGTHS and abs(exponent) < 1100:
        try:
            length = math.ldexp(float(count), exponent)
        except OverflowError:
            length = math.inf
        if math.ldexp(length, -exponent) == count:  # among the smallest floats it may be rounded
            return length
    raise CorruptFrameError(f"{count} times 2^{exponent} is no length")


def _whole(mantissa: int, exponent: int) -> float:
    """The float of two parts, if they are its own."""
    value = _length(mantissa, exponent)
    if _parts(value) != (mantissa, exponent):
        raise CorruptFrameError(f"{mantissa} times 2^{exponent} is not spelt so")
    return value


def _require_shortest(*counts: int) -> None:
    """One question, one spelling: lengths must not all be even multiples."""
    if not any(count % 2 for count in counts):
        raise CorruptFrameError("lengths must be counted in the largest power of two")
