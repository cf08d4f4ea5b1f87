"""A question: all that an agent needs in order to answer, and that an answer is read against.

An agent that is asked pulls until it has made so many pulls, and says where its mean is, in the
code that the question spells out; or it weighs its rewards against what it is told of another arm,
and says that it is beaten. It knows no δ, no σ, no schedule and no quantizer, and holds nothing
from one question to the next but what it counts of its rewards: so nothing that is lost, repeated,
delayed or restored can make its answer mean something else to the learner than to itself.
"""

from dataclasses import dataclass
from typing import final

from bitarm.core.bits import BitReader, Symbol, concat
from bitarm.core.codes import Above, Code, Nearest
from bitarm.core.codes.checks import require_within
from bitarm.core.evidence.account import Account, Scale
from bitarm.core.evidence.bets import Bets
from bitarm.core.evidence.edge import read_edge, write_edge
from bitarm.core.evidence.spread import read_spread, write_spread
from bitarm.core.evidence.tasks import Challenge, Edge, Pilot, Task
from bitarm.core.evidence.verdict import is_beaten
from bitarm.core.schedule import MAX_PULLS
from bitarm.errors import LocalProtocolError, PeerProtocolError

BEATEN = Symbol(0, 1)
"""What an arm answers to a challenge that it has lost."""

_IN = Symbol(1, 1)  # what the answer to one that it has not lost begins with

BEYOND = Symbol(1, 1)
"""What an agent answers whose link does not carry its answer: no word of Golomb's code is so short
and begins so. It tells that the arm is not beaten, and nothing of its mean."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What an answer tells."""

    mean: float
    spread: int | None = None  # exponent of 2, where that was asked for


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Where is your mean after `until` pulls? And with a task: what do your rewards say?

    A `scale` says which evidence to keep of every reward, and is told with every question of a run
    that uses it; a `task` is what to make of that evidence. To a challenge the first bit answers
    whether the arm is still in: if not, that is all there is to say; if so, the code's word
    follows. LocalProtocolError if a number is out of range or a task has no scale.

        >>> from bitarm.core.codes import Bins
        >>> question = Question(until=100, code=Bins(low=0.0, step=0.25, bins=4))
        >>> str(question.answer(0.6)), question.read(question.answer(0.6))
        ('10', Told(mean=0.625, spread=None))
    """

    until: int  # pulls in all, those made before included; of a challenge, the leader's too
    code: Code  # how the mean becomes bits
    scale: Scale | None = None
    task: Task | None = None

    def __post_init__(self) -> None:
        require_within("until", self.until, 1, MAX_PULLS)
        if self.task is None:
            return
        if self.scale is None:
            raise LocalProtocolError("a task needs a scale of evidence")
        if not self.scale.bounded and not isinstance(self.task, Challenge):
            raise LocalProtocolError(f"who is asked for a {self.task.name} has rewards with bounds")
        expected = Above if isinstance(self.task, Challenge) else Nearest
        if not isinstance(self.code, expected):
            raise LocalProtocolError(
                f"a {self.task.name} is answered in the code {expected.name}, not {self.code.name}"
            )

    def answer(
        self, mean: float, bets: Bets | None = None, *, most_bits: int | None = None
    ) -> Symbol:
        """What an agent with this mean after `until` pulls answers.

        `bets` are what it kept of its rewards, where the scale says to; `most_bits` is what its
        link carries. RewardError if the code cannot tell such a mean.
        """
        symbol = self._answer(mean, bets, most_bits)
        if most_bits is None or symbol.nbits <= most_bits or not self.has_beyond:
            return symbol
        return BEYOND

    @property
    def has_beyond(self) -> bool:
        """Whether `BEYOND` is an answer."""
        return isinstance(self.code, Nearest | Above)

    def _answer(self, mean: float, bets: Bets | None, most_bits: int | None) -> Symbol:
        task, code = self.task, self.code
        if isinstance(task, Edge):
            assert isinstance(code, Nearest)  # as was checked
            account = self._account(self.until, mean, bets)
            return write_edge(task, code, account, most_bits)
        word = code.write(mean)
        if isinstance(task, Pilot):
            account = self._account(self.until, mean, bets)
            return concat(word, write_spread(account, code.read(word)))
        if isinstance(task, Challenge):
            return BEATEN if self.is_beaten(self.until, mean, bets) else concat(_IN, word)
        return word

    def is_beaten(self, pulls: int, mean: float, bets: Bets | None) -> bool:
        """Whether an agent that was challenged and has made so many pulls gives up."""
        task = self.task
        return isinstance(task, Challenge) and is_beaten(
            task, self.until, self._account(pulls, mean, bets)
        )

    def read(self, symbol: Symbol) -> Told | None:
        """What an answer tells; None if the arm gave up.

        PeerProtocolError if no agent has this answer.
        """
        task, code, reader = self.task, self.code, BitReader(symbol)
        if isinstance(task, Edge | Pilot):
            assert isinstance(code, Nearest)  # as was checked
            if isinstance(task, Edge):
                mean, spread = read_edge(task, code, reader)
            else:
                mean, spread = code.read_from(reader), read_spread(reader)
            reader.finish()
            return Told(mean=mean, spread=spread)
        if task is None:
            return Told(mean=code.read(symbol))
        if symbol == BEATEN:
            return None
        if not reader.take(1):
            raise PeerProtocolError(f"symbol {symbol} goes on after it gave up")
        nbits = symbol.nbits - 1
        return Told(mean=code.read(Symbol(symbol.value & (1 << nbits) - 1, nbits)))

    def _account(self, pulls: int, mean: float, bets: Bets | None) -> Account:
        assert self.scale is not None  # a task has one
        if self.scale.bounded and bets is None:
            raise PeerProtocolError("is about bets on rewards, of which none were kept")
        return Account(self.scale, pulls, mean, bets if self.scale.bounded else None)
