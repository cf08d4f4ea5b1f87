"""A question: all that an agent needs in order to answer, and that an answer is read against.

An agent that is asked pulls until it has made so many pulls, and says where its mean is, in the
code that the question spells out. It knows no δ, no σ, no schedule and no quantizer, and holds
nothing from one question to the next but its count and its sum: so nothing that is lost, repeated,
delayed or restored can make its answer mean something else to the learner than to itself.
"""

from dataclasses import dataclass
from typing import final

from bitarm.core.bits import BitReader, Symbol, concat
from bitarm.core.codes import Code
from bitarm.core.codes.checks import require_finite, require_within
from bitarm.core.schedule import MAX_PULLS
from bitarm.errors import PeerProtocolError

_NOT_ABOVE = Symbol(0, 1)
_ABOVE = Symbol(1, 1)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Where is your mean after `until` pulls? And with a `cut`: only if it is above that.

    With a cut the first bit says whether the mean is above it. If not, that is all there is to say;
    if so, the code's word follows. LocalProtocolError if `until` or `cut` is out of range.

        >>> question = Question(until=100, code=Bins(low=0.0, step=0.25, bins=4))
        >>> str(question.answer(0.6)), question.read(question.answer(0.6))
        ('10', 0.625)
    """

    until: int  # pulls in all, those made before included
    code: Code  # how the mean becomes bits
    cut: float | None = None

    def __post_init__(self) -> None:
        require_within("until", self.until, 1, MAX_PULLS)
        if self.cut is not None:
            require_finite("cut", self.cut)

    def answer(self, mean: float) -> Symbol:
        """What an agent with this mean answers; RewardError if the code cannot tell such a mean."""
        word = self.code.write(mean)
        if self.cut is None:
            return word
        return _NOT_ABOVE if mean <= self.cut else concat(_ABOVE, word)

    def read(self, symbol: Symbol) -> float | None:
        """The mean that an answer tells; None for a mean that is not above the cut.

        PeerProtocolError if no mean has this answer.
        """
        if self.cut is None:
            return self.code.read(symbol)
        if symbol == _NOT_ABOVE:
            return None
        if not BitReader(symbol).take(1):
            raise PeerProtocolError(f"symbol {symbol} goes on after it said that it is not above")
        nbits = symbol.nbits - 1
        return self.code.read(Symbol(symbol.value & (1 << nbits) - 1, nbits))
