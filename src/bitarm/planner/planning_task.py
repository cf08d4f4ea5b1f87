"""What a plan is made for: a problem before its deployment, what is guessed of it, and prices."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, final

from bitarm.api.default_scheme import DEFAULT_DELTA
from bitarm.api.words import typed_words
from bitarm.core.bounds import Bounds, check_bounds
from bitarm.core.confidence import level_of
from bitarm.core.limits import Limits
from bitarm.core.policies.challenge import pulls_to_place
from bitarm.core.schedule import MAX_PULLS
from bitarm.core.spec import check_delta, check_sigma, sigma_of
from bitarm.core.vocabulary import vocabulary
from bitarm.core.widths.pairwise import mixture_margin
from bitarm.core.words import whole_number
from bitarm.errors import ConfigError
from bitarm.links.dismissals import expected_dismissals
from bitarm.planner.guessed_gaps import GapGuess, GuessedGaps
from bitarm.planner.prices import Prices
from bitarm.planner.scheme_words import SchemeWords
from bitarm.planner.simulated_rewards import Rewards, rewards_of

_LAW = 4.0  # logarithm of what the law on rates takes of evidence, roughly
_USUAL_KAPPA = 2.5  # of the quantizer on which the scale is taken
_NOTHING = SchemeWords(())


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningTask:
    """K arms, δ, σ, bounds, a guess of the gaps, and prices. All in the user's units.

    `PlanningTask.of` makes one from what a user gave; δ, σ, bounds and ε are checked there.
    """

    arms: int  # K
    delta: float
    sigma: float | None  # None: only the bounds are known
    bounds: Bounds | None
    epsilon: float  # tolerance
    guess: GapGuess
    rewards: Rewards
    prices: Prices
    limits: Limits = field(default_factory=Limits)  # they shorten frames, see `LinkCheck`
    fixed: SchemeWords = _NOTHING  # words of the scheme that a plan may not vary

    @classmethod
    def of(
        cls,
        arms: int | None,
        *,
        guess: GapGuess,
        prices: Prices,
        problem: Mapping[str, Any],
        rewards: str | None = None,
        offset: float | None = None,
        mean: float | None = None,
        spread: float | None = None,
        limits: Limits | None = None,
        fixed: SchemeWords = _NOTHING,
    ) -> "PlanningTask":
        """The task that a call describes; ConfigError if there is no plan for it.

        `problem` has words of [problem], None where one was left open: δ then has its default, and
        rewards of which σ is not known need bounds. The family of the `rewards` that are simulated,
        if it was left open, follows from both; `offset`, `mean` and `spread` are guesses of them.
        """
        if arms is None:
            raise ConfigError("say how many arms there are")
        given = {word: value for word, value in problem.items() if value is not None}
        words = typed_words(given, "problem")
        bounds = words.get("bounds")
        check_bounds(bounds)
        sigma = words.get("sigma")
        check_sigma(sigma_of(sigma, bounds))
        delta = words.get("delta", DEFAULT_DELTA)
        check_delta(delta)
        epsilon = words.get("epsilon", 0.0)
        vocabulary()["epsilon"].check(epsilon)
        return cls(
            arms=whole_number("arms", arms),
            delta=delta,
            sigma=sigma,
            bounds=bounds,
            epsilon=epsilon,
            guess=guess,
            rewards=rewards_of(
                rewards, sigma=sigma, bounds=bounds, offset=offset, mean=mean, spread=spread
            ),
            prices=prices,
            limits=limits or Limits(),
            fixed=fixed,
        )

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
        mean = self.rewards.mean
        if mean is not None and mean * self.unit <= self.guess.largest:
            raise ConfigError(
                f"a best mean {mean * self.unit:g} above the lower bound leaves no room for a gap "
                f"of {self.guess.largest:g}"
            )
        if self.longest > MAX_PULLS:
            raise ConfigError(
                f"a gap of {self.guess.smallest:g} is too small for sigma = {self.valid_sigma:g}: "
                f"it would take more than {MAX_PULLS:,} pulls an arm, which is the most there are"
            )

    @property
    def unit(self) -> float:
        """The width of the bounds; simulated rewards are in these units."""
        return 1.0 if self.bounds is None else self.bounds[1] - self.bounds[0]

    @property
    def valid_sigma(self) -> float:
        """σ as it is known, or as it follows from the bounds."""
        return sigma_of(self.sigma, self.bounds)

    @property
    def is_bet_on(self) -> bool:
        """Whether only the bounds are known, so that agents who judge must bet on every reward."""
        return self.sigma is None

    @property
    def longest(self) -> int:
        """Pulls of an arm after which the smallest guessed gap shows, roughly.

        The first t, within a tenth, at which margin and quantization errors are below that gap.
        """
        return self._pulls_to_tell(self.guess.smallest, self.valid_sigma)

    def dismissals(self, setting: SchemeWords) -> int:
        """Arms of a run that are told that they are out, on the link that is priced if one is."""
        return expected_dismissals(self.prices.link, arms=self.arms, is_judged=setting.is_judged)

    def draws(self, guess: GapGuess) -> float:
        """Rewards of a run by agents that bet, roughly, if the gaps are these.

        They find out how rewards spread, and so take fewer than `longest` has it where that is less
        than σ.
        """
        return float(self.arms * self._pulls_to_tell(guess.smallest, self._noise))

    @property
    def least_draws(self) -> float:
        """Rewards that agents who bet take however little rewards vary: the first words', and those
        until evidence, which grows by the gap a pull at best, is at its level.
        """
        level = level_of(self.arms, self.delta)
        return self.arms * (
            pulls_to_place(level) + (level + _LAW) * self.unit / self.guess.smallest
        )

    @property
    def longest_judged(self) -> int:
        """What `longest` is, for arms whose agents judge themselves."""
        return self._pulls_to_tell(self.guess.smallest, self._noise)

    @property
    def _noise(self) -> float:
        return self.rewards.deviation * self.unit if self.is_bet_on else self.valid_sigma

    def _pulls_to_tell(self, gap: float, sigma: float) -> int:
        pulls = 1
        while pulls <= MAX_PULLS:
            margin = mixture_margin(pulls, self.arms, self.delta, sigma)
            error = _USUAL_KAPPA * sigma / pulls**0.5
            if margin + error <= gap + self.epsilon:
                break
            pulls = max(pulls + 1, pulls * 11 // 10)
        return pulls

    def if_gaps_were(self, factor: float) -> "PlanningTask":
        """The same task, every gap times `factor`."""
        return replace(self, guess=self.guess.scaled(factor))

    def if_spread_were(self, factor: float) -> "PlanningTask | None":
        """The same task, rewards spread `factor` times as much; None if that cannot be."""
        rewards = self.rewards.if_spread_were(factor)
        return None if rewards is None else replace(self, rewards=rewards)

    def problem_words(self) -> dict[str, Any]:
        """The words of [problem], in the user's units."""
        words: dict[str, Any] = {"delta": self.delta}
        if self.sigma is not None:
            words["sigma"] = self.sigma
        if self.bounds is not None:
            words["bounds"] = self.bounds
        if self.epsilon:
            words["epsilon"] = self.epsilon
        return words

    def simulated_words(self) -> dict[str, Any]:
        """The words of [problem] in the units of the simulation, where bounds are [0, 1]."""
        words: dict[str, Any] = {"delta": self.delta}
        if self.sigma is not None:
            words["sigma"] = self.sigma / self.unit
        if self.bounds is not None:
            words["bounds"] = (0.0, 1.0)
        if self.epsilon:
            words["epsilon"] = self.epsilon / self.unit
        return words
