"""Where an arm's rewards come from, as an [[arm]] table says it: one class a kind of source.

Its fields are the table's words. Other packages add kinds by the entry points `bitarm.sources`.
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Protocol, final

from bitarm.api.extras import require
from bitarm.core.registry import Registry
from bitarm.core.rewards import RewardSource
from bitarm.core.words import Word, values_of
from bitarm.errors import ConfigError
from bitarm.rewards.callables import CallableSource, load_callable
from bitarm.rewards.commands import TIMEOUT, CommandSource
from bitarm.rewards.draws import ModelSource
from bitarm.rewards.files import read_csv

if TYPE_CHECKING:
    from bitarm.sim.models import RewardModel  # needs numpy, which an agent may do without


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The arm of a run whose rewards are wanted, and the folder to look for its files in."""

    arm: str
    number: int
    seed: int
    folder: Path  # of the problem file: paths are relative to it


class Source(Protocol):
    """A kind of source, with what an [[arm]] table says of it.

    Rewards that can be passed over again (`skip(count)`, beside `pull`) are read again by an agent
    that restarts; others count as live, and what a crash loses of them is lost.
    """

    __slots__ = ()

    name: ClassVar[str]

    @abstractmethod
    def open(self, place: Place) -> RewardSource:
        """The rewards of one arm; ConfigError or RewardError if there are none to be had."""
        ...

    def model(self) -> "RewardModel | None":
        """The model that they are drawn from; None if they come from elsewhere."""
        return None


def _arm(text: str, *, above: float | None = None) -> Word:
    return Word(text, table="arm", above=above)


_MEAN = _arm("Mean of the rewards")


class _Model(Source, Protocol):
    """Rewards that are drawn: their words are those of the simulator's model of the same name."""

    __slots__ = ()

    def open(self, place: Place) -> RewardSource:
        """Draws that are a function of the seed, the arm and their place in the order."""
        return ModelSource(self.model(), seed=place.seed, arm=place.number)

    def model(self) -> "RewardModel":
        """The model of this name."""
        require("numpy", extra="sim", what=f"the {self.name} model")
        from bitarm.sim.models import MODELS

        made: RewardModel = MODELS[self.name](**values_of(self))
        return made


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianArm(_Model):
    """An arm with normal rewards."""

    name: ClassVar[str] = "gaussian"

    mean: Annotated[float, _MEAN]
    sd: Annotated[float, _arm("Their standard deviation", above=0)]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BernoulliArm(_Model):
    """An arm with rewards of 0 and 1."""

    name: ClassVar[str] = "bernoulli"

    mean: Annotated[float, replace(_MEAN, least=0, most=1)]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BetaArm(_Model):
    """An arm with Beta rewards, in [0, 1]."""

    name: ClassVar[str] = "beta"

    mean: Annotated[float, replace(_MEAN, above=0, below=1)]
    concentration: Annotated[float, _arm("p + q: the larger, the less they vary", above=0)] = 1.0


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PoissonArm(_Model):
    """An arm with Poisson counts."""

    name: ClassVar[str] = "poisson"

    mean: Annotated[float, replace(_MEAN, above=0)]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ExponentialArm(_Model):
    """An arm with exponential rewards, such as waiting times."""

    name: ClassVar[str] = "exponential"

    mean: Annotated[float, replace(_MEAN, above=0)]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CallableArm(Source):
    """An arm whose rewards a Python function returns, one a call."""

    name: ClassVar[str] = "callable"

    function: Annotated[str, _arm("module:function; modules beside the file are found too")]

    def open(self, place: Place) -> RewardSource:
        """The values that the function returns."""
        return CallableSource(load_callable(self.function, place.folder), label=place.arm)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CsvArm(Source):
    """An arm whose rewards were recorded, in a column of a CSV file."""

    name: ClassVar[str] = "csv"

    path: Annotated[str, _arm("A CSV file with a header, relative to the problem file")]
    column: Annotated[str, _arm("The name of its column")]

    def open(self, place: Place) -> RewardSource:
        """The column's rows, in order."""
        return read_csv(place.folder / self.path, self.column, label=place.arm)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CommandArm(Source):
    """An arm whose rewards a program prints."""

    name: ClassVar[str] = "command"

    command: Annotated[
        str | tuple[str, ...],
        _arm("A line for the shell, or a list of words that are run without one"),
    ]
    timeout: Annotated[float, _arm("Seconds of silence after which it counts as hung", above=0)] = (
        TIMEOUT
    )

    def open(self, place: Place) -> RewardSource:
        """The numbers that it prints, a line each."""
        return CommandSource(
            self.command, folder=place.folder, timeout=self.timeout, label=place.arm
        )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TopicArm(Source):
    """A sensor that publishes by MQTT anyway."""

    name: ClassVar[str] = "topic"

    topic: Annotated[str, _arm("The sensor's topic on the run's broker")]
    pointer: Annotated[str, _arm("Where in its JSON the number is: /temperature/value")] = ""

    def __post_init__(self) -> None:
        if not self.topic or set(self.topic) & set("+#") or self.topic.startswith("bitarm/"):
            raise ConfigError(f"a sensor's topic is one topic outside bitarm/, got {self.topic!r}")
        if self.pointer and not self.pointer.startswith("/"):
            raise ConfigError(
                "pointer must begin with /, as /temperature/value does, or be left out where the "
                f"payload is the number itself, got {self.pointer!r}"
            )

    def open(self, place: Place) -> RewardSource:
        """Refused: payloads come to a process that is connected to the broker."""
        raise ConfigError(f"arm {place.arm!r} listens to a topic: only `bitarm agent` can")


_DATA = (GaussianArm, BernoulliArm, BetaArm, PoissonArm, ExponentialArm, CsvArm, TopicArm)


def runs_code(source: Source) -> bool:
    """Whether its rewards come from code that its table names, or that another package brought."""
    return not isinstance(source, _DATA)


SOURCES: Registry[Source] = Registry(
    "source",
    Source,  # type: ignore[type-abstract]
    (
        GaussianArm,
        BernoulliArm,
        BetaArm,
        PoissonArm,
        ExponentialArm,
        CallableArm,
        CsvArm,
        CommandArm,
        TopicArm,
    ),
)
