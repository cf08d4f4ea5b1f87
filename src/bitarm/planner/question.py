"""What is planned for: a problem before its deployment, and the scale on which it plays."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, final

from bitarm.api.scheme import DEFAULT_DELTA
from bitarm.api.words import number, vocabulary, whole_number
from bitarm.core.limits import Limits
from bitarm.core.quantizer import Bounds
from bitarm.core.schedule import MAX_PULLS
from bitarm.core.spec import check_bounds, check_delta, check_sigma, sigma_of
from bitarm.core.widths.pairwise import mixture_margin
from bitarm.errors import ConfigError
from bitarm.planner.guess import GapPrior, Guess, GuessedGaps, guess_of
from bitarm.planner.prices import Prices
from bitarm.planner.rewards import Rewards, rewards_of
from bitarm.planner.setting import Setting

_USUAL_KAPPA = 2.5  # of the quantizer on which the scale is taken
_NOTHING = Setting(())


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """K arms, δ, σ, bounds, a guess of the gaps, and prices. All in the user's units.

    `question_of` makes one from what a user gave; δ, σ, bounds and ε are checked there.
    """

    arms: int  # K
    delta: float
    sigma: float
    bounds: Bounds | None
    epsilon: float  # tolerance
    guess: Guess
    rewards: Rewards
    prices: Prices
    limits: Limits = field(default_factory=Limits)  # they shorten frames, see `frames.Fit`
    fixed: Setting = _NOTHING  # words of the scheme that a plan may not vary

    def __post_init__(self) -> None:
        if self.arms < 2:
            raise ConfigError(f"at least 2 arms are needed to tell which is best, got {self.arms}")
        if isinstance(self.guess, GuessedGaps) and len(self.guess.gaps) not in (1, self.arms - 1):
            raise ConfigError(
                f"{self.arms} arms have {self.arms - 1} gaps below the best, "
                f"got {len(self.guess.gaps)}"
            )
        if self.bounds is not None and self.guess.largest >= self.unit:
            raise ConfigError(
                f"bounds {self.bounds[0]:g} and {self.bounds[1]:g} are too narrow for a gap of "
                f"{self.guess.largest:g}"
            )
        if self.longest > MAX_PULLS:
            raise ConfigError(
                f"a gap of {self.guess.smallest:g} is too small for sigma = {self.sigma:g}: it "
                f"would take more than {MAX_PULLS:,} pulls an arm, which is the most there are"
            )

    @property
    def unit(self) -> float:
        """The width of the bounds; simulated rewards are in these units."""
        return 1.0 if self.bounds is None else self.bounds[1] - self.bounds[0]

    @property
    def shortest(self) -> int:
        """Pulls of an arm after which the largest guessed gap shows, roughly."""
        return self._pulls_for(self.guess.largest)

    @property
    def longest(self) -> int:
        """Pulls of an arm after which the smallest guessed gap shows, roughly."""
        return self._pulls_for(self.guess.smallest)

    def _pulls_for(self, gap: float) -> int:
        """The first t, within a tenth, at which margin and quantization errors are below a gap."""
        pulls = 1
        while pulls <= MAX_PULLS:
            margin = mixture_margin(pulls, self.arms, self.delta, self.sigma)
            if margin + _USUAL_KAPPA * self.sigma / pulls**0.5 <= gap + self.epsilon:
                break
            pulls = max(pulls + 1, pulls * 11 // 10)
        return pulls

    def if_gaps_were(self, factor: float) -> "Question":
        """The same question, every gap times `factor`."""
        return replace(self, guess=self.guess.scaled(factor))

    def problem_words(self) -> dict[str, Any]:
        """The words of [problem]."""
        words: dict[str, Any] = {"delta": self.delta, "sigma": self.sigma}
        if self.bounds is not None:
            words["bounds"] = self.bounds
        if self.epsilon:
            words["epsilon"] = self.epsilon
        return words

    def simulated_words(self) -> dict[str, Any]:
        """The same in the units of the simulation."""
        words: dict[str, Any] = {"delta": self.delta, "sigma": self.sigma / self.unit}
        if self.bounds is not None:
            words["bounds"] = (0.0, 1.0)
        if self.epsilon:
            words["epsilon"] = self.epsilon / self.unit
        return words


def question_of(
    arms: int | None,
    *,
    prices: Prices,
    gap: float | None = None,
    gaps: Sequence[float] | None = None,
    gap_prior: str | GapPrior | None = None,
    delta: float = DEFAULT_DELTA,
    sigma: float | None = None,
    bounds: Bounds | None = None,
    epsilon: float = 0.0,
    rewards: str | None = None,
    offset: float | None = None,
    limits: Limits | None = None,
    fixed: Setting = _NOTHING,
) -> Question:
    """The question that a call asks, checked; what is left open gets its default.

    The number of arms may be left to a list of gaps, σ to the bounds, and the family of the
    `rewards` that are simulated to both.
    """
    guess = guess_of(gap=gap, gaps=gaps, gap_prior=gap_prior)
    if arms is None and not gaps:
        raise ConfigError("say how many arms there are")
    bounds = vocabulary()["bounds"].taker("bounds", bounds)
    check_bounds(bounds)
    sigma = number("sigma", sigma_of(sigma, bounds))
    check_sigma(sigma)
    delta = number("delta", delta)
    check_delta(delta)
    epsilon = number("epsilon", epsilon)
    vocabulary()["epsilon"].check(epsilon)
    return Question(
        arms=len(gaps or ()) + 1 if arms is None else whole_number("arms", arms),
        delta=delta,
        sigma=sigma,
        bounds=bounds,
        epsilon=epsilon,
        guess=guess,
        rewards=rewards_of(rewards, sigma=sigma, bounds=bounds, offset=offset),
        prices=prices,
        limits=limits or Limits(),
        fixed=fixed,
    )
