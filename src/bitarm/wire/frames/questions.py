"""Questions in frames: a byte that names the code, then the code's numbers, then the cut.

    1 bins      low, step, bins
    2 nearest   centre, step, divisor, and escape if it is another than 20
    3 levels    step, centre, dither
    4 raw       nothing

The byte's 16 says that a cut follows, its 32 that an escape does. All questions of a packed frame
have one such byte.
"""

from collections.abc import Sequence
from typing import assert_never

from bitarm.core.codes import Bins, Code, Levels, Nearest, Raw
from bitarm.core.codes.prefix import ESCAPE
from bitarm.core.dither import DITHER_BITS
from bitarm.core.question import Question
from bitarm.errors import CorruptFrameError, LocalProtocolError
from bitarm.wire.frames.columns import Column, Spelling
from bitarm.wire.frames.cursor import Cursor

UNTIL = Column("until", "pull until {} pulls in all")
_STEP = Column("step", "in steps of {}", Spelling.FLOAT)
_ESCAPE = Column("escape", "a unary part of {} ones escapes to Elias' code")
_CUT = Column("cut", "if the mean is not above {}, say only 0; else 1 and then", Spelling.FLOAT)

_COLUMNS: dict[type[Code], tuple[Column, ...]] = {
    Bins: (
        Column("low", "bins begin at {}", Spelling.FLOAT),
        _STEP,
        Column("bins", "{} bins"),
    ),
    Nearest: (
        Column("centre", "say how far the mean is from {}", Spelling.FLOAT),
        _STEP,
        Column("divisor", "Golomb's divisor {}"),
    ),
    Levels: (
        _STEP,
        Column("centre", "levels are counted from {}", Spelling.SIGNED),
        Column("dither", "round up if the fraction is above {}", Spelling.FRACTION),
    ),
    Raw: (),
}
_NUMBERS = {code: number for number, code in enumerate(_COLUMNS, start=1)}
_CODES = {number: code for code, number in _NUMBERS.items()}
_WITH_CUT = 0x10
_WITH_ESCAPE = 0x20  # spelt only where it is not the usual one: it would cost every request a byte
_FLAGS = _WITH_CUT | _WITH_ESCAPE


def tag_of(question: Question) -> int:
    """The byte that says which numbers a question has."""
    code = question.code
    tag = _NUMBERS[type(code)]
    if isinstance(code, Nearest) and code.escape != ESCAPE:
        tag |= _WITH_ESCAPE
    return tag if question.cut is None else tag | _WITH_CUT


def read_tag(cursor: Cursor) -> int:
    """The byte that comes next, if it names a code."""
    tag = cursor.take(8)
    code = _CODES.get(tag & ~_FLAGS)
    if code is None or (tag & _WITH_ESCAPE and code is not Nearest):
        raise CorruptFrameError(f"a question's code must be 1 to {len(_CODES)}, got {tag:02x}")
    above = " if above a cut" if tag & _WITH_CUT else ""
    cursor.note("question", tag, "tell the mean{1}, in the code {2}", above, code.name)
    return tag


def columns_of(tag: int) -> tuple[Column, ...]:
    """The numbers of a question with this byte, in order."""
    escape = (_ESCAPE,) if tag & _WITH_ESCAPE else ()
    cut = (_CUT,) if tag & _WITH_CUT else ()
    return (UNTIL, *_COLUMNS[_CODES[tag & ~_FLAGS]], *escape, *cut)


def numbers_of(question: Question) -> list[float]:
    """A question's numbers, in the order of its columns."""
    numbers: list[float] = [question.until]
    match question.code:
        case Bins() as code:
            numbers += code.low, code.step, code.bins
        case Nearest() as code:
            numbers += code.centre, code.step, code.divisor
            if code.escape != ESCAPE:
                numbers.append(code.escape)
        case Levels() as code:
            numbers += code.step, code.centre, code.dither
        case Raw():
            pass
        case other:
            assert_never(other)
    if question.cut is not None:
        numbers.append(question.cut)
    return numbers


def question_of(tag: int, numbers: Sequence[float]) -> Question:
    """The question that has these numbers; one that no agent could answer is corrupt."""
    until, *rest = numbers
    cut = rest.pop() if tag & _WITH_CUT else None
    escape = int(rest.pop()) if tag & _WITH_ESCAPE else ESCAPE
    if tag & _WITH_ESCAPE and escape == ESCAPE:
        raise CorruptFrameError(f"an escape of {ESCAPE} is the usual one, and must be left out")
    try:
        return Question(until=int(until), code=_code(tag & ~_FLAGS, rest, escape), cut=cut)
    except LocalProtocolError as error:
        raise CorruptFrameError(f"no code fits this question: {error}") from None


def require_spellable_code(code: Code) -> None:
    """Check what a frame cannot hold of a code that is sound otherwise."""
    if isinstance(code, Levels) and code.dither * 2**DITHER_BITS % 1:
        raise LocalProtocolError(f"dither must be a multiple of 2^−32, got {code.dither}")


def _code(number: int, numbers: Sequence[float], escape: int) -> Code:
    if number == _NUMBERS[Bins]:
        low, step, bins = numbers
        return Bins(low=low, step=step, bins=int(bins))
    if number == _NUMBERS[Nearest]:
        centre, step, divisor = numbers
        return Nearest(centre=centre, step=step, divisor=int(divisor), escape=escape)
    if number == _NUMBERS[Levels]:
        step, level, dither = numbers
        return Levels(step=step, centre=int(level), dither=dither)
    assert number == _NUMBERS[Raw]  # `read_tag` has refused every other
    return Raw()
