"""Schemes as another package would offer them: no family and no kernel knows them."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, final

from bitarm.core.bits import Symbol
from bitarm.core.bounds import Bounds
from bitarm.core.codes import Bins
from bitarm.core.confidence import ArmView, Stride
from bitarm.core.policies import POLICIES, SuccessiveElimination
from bitarm.core.policy import Action, Policy, PolicyContext
from bitarm.core.quantizer import NOTHING_KNOWN, Estimate, Occasion, Quantizer, require_no_prior
from bitarm.core.quantizers import CHOICES
from bitarm.core.question import Question
from bitarm.core.registry import Offer, Registry
from bitarm.core.spec import RunSpec
from bitarm.core.words import Word, check_words


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Lattice(Quantizer):
    """Steps of c·σ/√t around 0, cut to 16 bits: the example of docs/extending.md."""

    name: ClassVar[str] = "lattice"
    certain: ClassVar[bool] = False
    codes: ClassVar[tuple[str, ...]] = (Bins.name,)

    coarseness: Annotated[float, Word("Step of a mean, in deviations", sign="c=", above=0)] = 1.0
    tilt: Annotated[Literal["flat", "steep"], Word("Does nothing")] = "flat"

    def __post_init__(self) -> None:
        check_words(self)

    def start(self, prior: float | None, bounds: Bounds | None) -> Estimate:
        require_no_prior(self.name, prior)
        return NOTHING_KNOWN

    def error(self, held: Estimate, step: Occasion) -> float:
        return self._size(step) / 2

    def least_bits(self, step: Occasion) -> int:
        return 16

    def question(self, held: Estimate, step: Occasion, dither: float) -> Question:
        size = self._size(step)
        code = Bins(low=-(2**15) * size - size / 2, step=size, bins=2**16)
        return Question(until=step.pulls, code=code)

    def read(self, symbol: Symbol, question: Question, held: Estimate, step: Occasion) -> Estimate:
        mean = question.code.read(symbol)
        return Estimate.after(step, mean=mean, error=self.error(held, step))

    def objection(self) -> str | None:
        return "the lattice has no proof: a mean beyond 2^15 steps is cut"

    def _size(self, step: Occasion) -> float:
        return self.coarseness * step.sigma / math.sqrt(step.pulls)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Timid(Policy):
    """Successive elimination under another name, with a word that does nothing."""

    name: ClassVar[str] = "timid"
    stride: ClassVar[Stride] = Stride.TOGETHER

    courage: Annotated[int, Word("Does nothing", least=0, most=9)] = 2

    def __post_init__(self) -> None:
        check_words(self)

    def decide(self, views: Sequence[ArmView], context: PolicyContext) -> tuple[Action, ...]:
        return SuccessiveElimination().decide(views, context)

    def objection(self, spec: RunSpec, views: Sequence[ArmView]) -> str | None:
        return None


def _offer(member: type[Any]) -> Offer:
    return Offer(name=member.name, package="elsewhere", version="1.0", load=lambda: member)


def _found(offers: list[Offer], group: str) -> list[Offer]:
    return offers


@contextmanager
def installed(*members: type[Any]) -> Iterator[None]:
    """As if a package offered these quantizers and policies."""
    registries: tuple[Registry[Any], ...] = (CHOICES, POLICIES)
    found = [registry._find for registry in registries]
    for registry, base in zip(registries, (Quantizer, Policy), strict=True):
        offers = [_offer(member) for member in members if base in member.__mro__]
        registry._find = partial(_found, offers)
        registry.forget()
    try:
        yield
    finally:
        for registry, find in zip(registries, found, strict=True):
            registry._find = find
            registry.forget()
