"""What a claim says that it assumes, and that it is void or paid for where that fails."""

from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from core.claims import EVERY, EVIDENCE, claimed
from core.races import Race
from scipy import stats
from tapes import make_spec

from bitarm.core.confidence import ArmView, Stride
from bitarm.core.events import AgentJoined
from bitarm.core.guarantee import Course, Incidents, claim_ahead, guarantee
from bitarm.core.outcome import Outcome
from bitarm.core.outlook import outlook_of
from bitarm.core.policies import ChallengeElimination, Lucb, SuccessiveElimination
from bitarm.core.policy import Policy
from bitarm.core.quantizers import Dicq, Dyadic, Exact, Icq, Quantizer
from bitarm.core.replay import replay
from bitarm.core.schedule import RecordedSchedule
from bitarm.core.setup import Setup
from bitarm.core.standings import Standings
from bitarm.core.widths import WIDTHS
from bitarm.core.widths.pairwise import PairwiseMixtureWidth

_INTERVALS = ("paper", "lil", "intervals")
_PAIRS = ("pairwise", "pairwise-mixture", *EVIDENCE)


# -- the clauses ----------------------------------------------------------------------------------


def test_a_claim_is_one_sentence_and_its_clauses() -> None:
    claim = claimed("pairwise")
    assert claim.assumptions == (
        "rewards are independent over time and between arms, and do not depend on what is asked "
        "for",
        "every arm's mean stays the same",
        "rewards lie in [0, 1] and so are 0.5-sub-Gaussian",
    )
    first, second, third = claim.assumptions
    assert claim.reason == (
        f"wrong with probability at most 0.05, if {first}; {second}; and {third}"
    )


def test_the_defaults_claim_names_all_that_it_takes_for_granted() -> None:
    incidents = Incidents(rewards_lost=True, resumed=True)
    course = Course(covered=(0, 1), lost=(2,), incidents=incidents)
    claim = claimed("bounded", course, ChallengeElimination(epsilon=0.01))
    assert claim.assumptions == (
        "rewards are independent over time and between arms, and do not depend on what is asked "
        "for",
        "every arm's mean stays the same",
        "rewards lie in [0, 1]",
        "what agents lost in crashes does not depend on the rewards",
        "the journal that the run was resumed from was its newest",
        "wrong means more than 0.01 below the best",
    )
    *clauses, last, _ = claim.assumptions
    assert claim.reason == (
        "wrong with probability at most 0.075 (more than 0.01 below the best), if "
        f"{'; '.join(clauses)}; and {last}; it covers the 2 arms that remained, not arm-2: their "
        "agents were lost (δ is counted 1.5 times for that)"
    )
    known = claimed("sub-gaussian", sigma=0.3)
    assert known.assumptions[-1] == "rewards lie in [0, 1] and are 0.3-sub-Gaussian"
    assert known.assumptions[0] == claim.assumptions[0]


@pytest.mark.parametrize("width", [*_INTERVALS, *_PAIRS])
def test_only_differences_need_arms_that_are_independent_of_each_other(width: str) -> None:
    assert WIDTHS[width].of_pairs is (width in _PAIRS)
    assert ("between arms" in claimed(width).assumptions[0]) is (width in _PAIRS)


def test_sigma_is_assumed_and_follows_from_bounds_only_if_it_is_large_enough() -> None:
    assert "rewards lie in [0, 1] and are 0.3-sub-Gaussian" in claimed(sigma=0.3).assumptions
    spec = make_spec(bounds=None, quantizer=Exact(), sigma=2.0)
    unbounded = guarantee(
        Setup(spec=spec, policy=SuccessiveElimination()), Outcome.DECIDED, [], [], EVERY
    )
    assert "rewards are 2-sub-Gaussian" in unbounded.assumptions


@pytest.mark.parametrize("policy", [Lucb(epsilon=0.01), SuccessiveElimination(epsilon=0.01)])
def test_a_tolerance_says_what_is_wrong(policy: Policy) -> None:
    claim = claimed(policy=policy)
    assert claim.reason.startswith("wrong with probability at most 0.05 (more than 0.01 below the")
    assert claim.assumptions[-1] == "wrong means more than 0.01 below the best"
    assert not any("0.01" in clause for clause in claimed().assumptions)


@pytest.mark.parametrize(
    ("bounds", "sigma", "epsilon", "clauses"),
    [
        ((1e9, 1e9 + 3), 1.5, 0.5, ("[1e+09, 1000000003]", "are 1.5-sub", "than 0.5 below")),
        ((0.0, 1.0000001), 0.4567891, 2.0, ("[0, 1.0000001]", "are 0.4567891-sub", "than 2 below")),
        ((-1e-300, 1e300), 1e300, 0.01234567, ("[-1e-300, 1e+300]", "1e+300-sub", "0.01234567 ")),
    ],
    ids=["far", "fine", "wide"],
)
def test_a_claim_spells_what_it_rests_on_in_full(
    bounds: tuple[float, float], sigma: float, epsilon: float, clauses: tuple[str, str, str]
) -> None:
    """Six digits of 10^9 and of 10^9 + 3 are the same: rewards would lie in a single point."""
    spec = make_spec(bounds=bounds, sigma=sigma, quantizer=Exact())
    setup = Setup(spec=spec, policy=SuccessiveElimination(epsilon=epsilon))
    claim = guarantee(setup, Outcome.DECIDED, [], [], EVERY)
    within, tails, meaning = clauses
    assert within in claim.assumptions[2]
    assert tails in claim.assumptions[2]
    assert meaning in claim.assumptions[3]
    assert meaning.removesuffix(" ") in claim.reason


@pytest.mark.parametrize(
    ("delta", "told"),
    [
        (0.05, "0.05;"),
        (0.1 + 0.2, "0.3;"),
        (0.1234564, "0.1234564;"),
        (0.1234567, "0.123457;"),
        (1e-60, "1e-60;"),
    ],
)
def test_what_is_claimed_in_words_is_never_less_than_the_number(delta: float, told: str) -> None:
    claim = claimed(delta=delta)
    assert claim.delta == delta
    assert claim.reason.replace(",", ";").startswith(f"wrong with probability at most {told}")


def test_nothing_is_assumed_of_what_is_not_claimed() -> None:
    spec = make_spec()
    setup = Setup(spec=spec, policy=SuccessiveElimination())
    assert guarantee(setup, Outcome.DECIDED, [], ["a caveat"], EVERY).assumptions == ()
    assert guarantee(setup, Outcome.ROUND_LIMIT, [], [], EVERY).assumptions == ()


# -- rewards that agents lost ---------------------------------------------------------------------


def _joined(
    boot: str = "b1", *, discarded: int = 0, forgot: bool = False, went_on: bool = False
) -> AgentJoined:
    return AgentJoined(
        agent="gw", boot=boot, life="l", discarded=discarded, forgot=forgot, went_on=went_on
    )


@pytest.mark.parametrize(
    ("processes", "is_named"),
    [
        ((_joined(),), False),
        ((_joined(), _joined(boot="b2")), False),  # it went on where it was
        ((_joined(), _joined(boot="b2", discarded=1)), True),  # a crash cut a batch short
        ((_joined(), _joined(boot="b2", forgot=True)), True),  # its file is gone
        ((_joined(forgot=True), _joined(boot="b2")), True),  # whoever comes after
    ],
)
def test_a_crash_that_lost_rewards_must_not_depend_on_them(
    processes: tuple[AgentJoined, ...], *, is_named: bool
) -> None:
    race = Race((300, 500, 950))
    for joined in processes:
        race.take(race.learner.join(joined))
    ending = race.run()
    clause = "what agents lost in crashes does not depend on the rewards"
    assert (clause in ending.assumptions) is is_named
    assert replay(race.events).save() == race.learner.save()


_NEWEST = "the file that an agent went on from was its newest"


@pytest.mark.parametrize("width", ["bounded", "sub-gaussian"])
def test_an_older_file_could_undo_looks_where_agents_judge_themselves(width: str) -> None:
    course = Course(covered=(0, 1, 2), incidents=Incidents(files_read=True))
    assert _NEWEST in claimed(width, course, ChallengeElimination()).assumptions
    assert _NEWEST not in claimed(width, policy=ChallengeElimination()).assumptions


@pytest.mark.parametrize(
    ("width", "policy"),
    [
        ("paper", SuccessiveElimination()),
        ("pairwise-mixture", SuccessiveElimination()),
        ("sub-gaussian", Lucb()),
    ],
)
def test_an_agent_that_only_tells_looks_at_nothing(width: str, policy: Policy) -> None:
    course = Course(covered=(0, 1, 2), incidents=Incidents(files_read=True))
    assert _NEWEST not in claimed(width, course, policy).assumptions


@pytest.mark.parametrize("went_on", [False, True])
def test_an_agent_that_goes_on_from_its_file_is_remembered(*, went_on: bool) -> None:
    race = Race((300, 500, 950))
    race.take(race.learner.join(_joined()))
    race.take(race.learner.join(_joined("b2", went_on=went_on)))
    race.take(race.learner.join(_joined("b3")))
    assert race.learner.save().incidents.files_read is went_on
    assert replay(race.events).save() == race.learner.save()


_ENDS = "how many rewards of an arm were recorded does not depend on them"


@pytest.mark.parametrize(
    ("width", "policy", "quantizer", "is_named"),
    [
        ("bounded", ChallengeElimination(), Dyadic(), True),
        ("sub-gaussian", ChallengeElimination(), Dyadic(), True),
        ("sub-gaussian", Lucb(), Dicq(), True),
        ("sub-gaussian", SuccessiveElimination(), Dicq(), False),  # equal pulls, at any time
        ("pairwise-mixture", SuccessiveElimination(), Dicq(), False),
        ("pairwise-mixture", SuccessiveElimination(), Icq(bits=3), True),  # its intervals' grid
        ("pairwise", SuccessiveElimination(), Dicq(), True),
        ("intervals", Lucb(), Dicq(), False),
        ("paper", SuccessiveElimination(), Icq(bits=3), False),
    ],
)
def test_where_recorded_rewards_end_must_not_depend_on_them(
    width: str, policy: Policy, quantizer: Quantizer, *, is_named: bool
) -> None:
    """`core/evidence/test_chains.py` shows what happens if it does."""
    spec = make_spec(arms=3, width=width, quantizer=quantizer)
    setup = Setup(spec=spec, policy=policy)
    recorded = RecordedSchedule(grid=spec.schedule, rows=(100, 100, 80))
    of_columns = replace(setup, spec=replace(spec, schedule=recorded))
    assert (_ENDS in claim_ahead(of_columns, (50,)).assumptions) is is_named
    assert _ENDS not in claim_ahead(setup, (50,)).assumptions


_SILENT = "agents that do not say what they remember refused and clipped no rewards"


@pytest.mark.parametrize("width", [*_INTERVALS, *_PAIRS])
def test_what_a_device_without_a_status_may_keep_to_itself_is_assumed_of_it(width: str) -> None:
    """Whether it forgot what it told matters along a path; elsewhere each count is told once."""
    clauses = claimed(
        width, replace(EVERY, incidents=replace(EVERY.incidents, silent=True))
    ).assumptions
    (clause,) = (clause for clause in clauses if clause.startswith(_SILENT))
    assert ("forgot none that they had told of" in clause) is WIDTHS[width].along_path
    assert not any(clause.startswith(_SILENT) for clause in claimed(width).assumptions)


def test_a_device_without_a_status_is_taken_for_all_that_it_may_be() -> None:
    race = Race((300, 500, 950), ChallengeElimination())
    race.take(race.learner.join(_joined(boot="")))
    ending = race.run()
    for clause in (_NEWEST, "what agents lost in crashes does not depend on the rewards"):
        assert clause in ending.assumptions
    assert any(clause.startswith(_SILENT) for clause in ending.assumptions)
    assert replay(race.events).save() == race.learner.save()
    assert outlook_of(Standings.of(race.events)).exclusion.assumptions == ending.assumptions


# -- arms that were lost --------------------------------------------------------------------------


@pytest.mark.parametrize("width", [*_INTERVALS, *_PAIRS])
@pytest.mark.parametrize(
    ("arms", "lost", "factor"),
    [(3, 1, 1.5), (4, 1, 1.67), (8, 1, 1.86), (20, 1, 1.95), (20, 3, 3.69), (40, 38, 20.0)],
)
def test_lost_arms_cost_a_part_of_delta_where_only_the_best_arm_is_paid_for(
    width: str, arms: int, lost: int, factor: float
) -> None:
    """The best of those that are left is one of the lost + 1 best: no condition on the losses."""
    course = Course(covered=range(lost, arms), lost=range(lost))
    claim = claimed(width, course, arms=arms, delta=0.02)
    assert claim.delta == pytest.approx(0.02 * (factor if width in _PAIRS else 1))
    assert (f"lost (δ is counted {factor:g} times for that)" in claim.reason) is (width in _PAIRS)
    assert not any("agents were lost" in clause for clause in claim.assumptions)


@pytest.mark.parametrize("width", [*_INTERVALS, *_PAIRS])
def test_arms_that_only_a_lost_one_beat_are_left_out_like_lost_ones(width: str) -> None:
    claim = claimed(width, Course(covered=range(2, 8), lost=(0,)), arms=8)
    assert "or those of the arms that had beaten them" in claim.reason
    both = claimed(width, Course(covered=range(2, 8), lost=(0, 1)), arms=8)
    assert claim.delta == both.delta


@pytest.mark.parametrize("width", [*_INTERVALS, *_PAIRS])
def test_where_delta_is_spent_too_often_nothing_is_claimed(width: str) -> None:
    claim = claimed(width, Course(covered=(58, 59), lost=range(58)), arms=60)
    if width in _INTERVALS:
        assert claim.delta == 0.05
    else:
        assert claim.delta is None
        assert "must be paid for 30 times so that another may be the best" in claim.reason


def test_a_race_says_so_when_the_conqueror_is_lost() -> None:
    race = Race((100, 500, 950, 520))
    while race.learner.arms[0].dropped_for is None:
        race.round()
    race.take(race.learner.lose((race.learner.arms[0].dropped_for,)))
    ending = race.run()
    assert ending.best_arm in (1, 3)
    assert "not arm-0, arm-2: their agents were lost, or those" in ending.guarantee_reason
    fallen = {arm for arm, record in enumerate(race.learner.arms) if record.dropped_for is not None}
    assert 0 in fallen
    assert set(outlook_of(Standings.of(race.events)).excluded) == fallen - {0}


_TRIALS, _K, _DELTA = 5000, 20, 0.05


@cache
def _misjudged() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """By trial of 20 nearly equal arms: the best one that a worse one beats in the first pulls, 20
    if there is none; and whether one of the better half is beaten by one of the worse half.

    Arm i is better than arm j > i by nothing that counts.
    """
    width = PairwiseMixtureWidth(arms=_K, delta=_DELTA, sigma=1.0, certain=True)
    confidence = width.confidence(Stride.EVEN)
    rng = np.random.Generator(np.random.SFC64(11))
    total = np.zeros((_TRIALS, _K))
    beaten = np.zeros((_TRIALS, _K), dtype=bool)
    halves = np.zeros(_TRIALS, dtype=bool)
    for pulls in range(1, 100):
        total += rng.standard_normal(total.shape)
        view = ArmView(arm=0, mean=0.0, pulls=pulls, messages=pulls, index=pulls, error=0.0)
        margin = confidence.margin(view, view)
        means = total / pulls
        highest = np.maximum.accumulate(means[:, ::-1], axis=1)[:, ::-1]  # of an arm and all after
        beaten[:, :-1] |= highest[:, 1:] - means[:, :-1] >= margin
        halves |= highest[:, _K // 2] - means[:, : _K // 2].min(axis=1) >= margin
    return np.where(beaten.any(axis=1), beaten.argmax(axis=1), _K), halves


def _chance(wrong: npt.NDArray[np.bool_], level: float) -> float:
    """The chance of so many errors or more, if each trial has one with this probability."""
    return float(stats.binom.sf(np.count_nonzero(wrong) - 1, _TRIALS, level))


def test_arms_that_are_lost_at_a_fixed_time_are_paid_for() -> None:
    """The better half dies at one moment, whatever was measured: what fell before is covered.

    So whoever of it fell wrongly is better than the answer, and each of ten arms might have.
    """
    _, wrong = _misjudged()
    assert _chance(wrong, _DELTA) < 1e-6  # the control: δ alone does not hold
    course = Course(covered=range(_K // 2 - 1, _K), lost=range(_K // 2 - 1))
    level = claimed("pairwise-mixture", course, arms=_K).delta
    assert level is not None
    assert _chance(wrong, level) > 1e-6


def test_losses_that_depend_on_rewards_are_paid_for() -> None:
    """Who waits for a worse arm to beat a better one, and then loses all that are above that."""
    best, _ = _misjudged()
    assert _chance(best < _K, _DELTA) < 1e-9  # the control: δ alone does not hold
    for lost in range(_K - 2):
        course = Course(covered=range(lost, _K), lost=range(lost))
        level = claimed("pairwise-mixture", course, arms=_K).delta
        assert level is not None
        assert _chance(best <= lost, level) > 1e-6


@pytest.mark.parametrize(
    ("lost", "names"),
    [(8, "not arm-0, arm-1, arm-2, arm-3, arm-4, arm-5, arm-6, arm-7:"), (9, "not 9 arms:")],
)
def test_arms_that_are_not_covered_are_named_if_they_are_few(lost: int, names: str) -> None:
    course = Course(covered=range(lost, 12), lost=range(lost))
    assert names in claimed(course=course, arms=12).reason
