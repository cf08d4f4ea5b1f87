"""The laws of `Policy` (core/policy.py), for every policy there is."""

import copy
import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

import pytest
from hypothesis import Phase, find, given, note, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from bitarm.core.budget import has_phases
from bitarm.core.confidence import ArmView, Confidence, Stride
from bitarm.core.outcome import Outcome
from bitarm.core.policies import (
    POLICIES,
    ChallengeElimination,
    LilUcb,
    LilUcbCount,
    Lucb,
    SequentialHalving,
    SuccessiveElimination,
    SuccessiveRejects,
    TopTwo,
)
from bitarm.core.policy import Action, Advance, Drop, Policy, PolicyContext, Stop
from bitarm.core.quantizers import Icq
from bitarm.core.schedule import (
    GeometricSchedule,
    ListedSchedule,
    LooksSchedule,
    Schedule,
    paper_schedule,
)
from bitarm.core.spec import RunSpec
from bitarm.core.widths import WIDTHS

SETTINGS: dict[str, list[Policy]] = {
    "se": [SuccessiveElimination(), SuccessiveElimination(epsilon=0.3)],
    "lucb": [Lucb(), Lucb(epsilon=0.3)],
    "lil-ucb": [LilUcb(), LilUcb(epsilon=0.3)],
    "lil-ucb-count": [LilUcbCount()],
    "top-two": [TopTwo(), TopTwo(epsilon=0.3)],
    "challenge": [
        ChallengeElimination(),
        ChallengeElimination(cap=1.0, patience=3.0, behind=1.0, aim=0.0),
    ],
    "sequential-halving": [SequentialHalving(pull_budget=pulls) for pulls in (21, 400)],
    "successive-rejects": [SuccessiveRejects(pull_budget=pulls) for pulls in (7, 400)],
}
some = settings(max_examples=60)  # scenes for each law; all policies see each of them


def test_the_suite_covers_every_policy() -> None:
    assert set(SETTINGS) == set(POLICIES), "add the new policy to SETTINGS above"
    for name, policies in SETTINGS.items():
        assert policies
        assert all(type(policy) is POLICIES[name] for policy in policies)
        assert POLICIES[name].name == name


@dataclass(frozen=True)
class Scene:
    """Views of the active arms, the context, and true means, no two of which are misjudged."""

    views: list[ArmView]
    context: PolicyContext
    means: dict[int, float]
    judged: PolicyContext  # for policies whose agents judge
    rival: int | None  # an arm, in the race or not, that beat some of the others
    beaten: set[int]
    rungs: dict[int, int | None]
    spreads: dict[int, int | None]


schedules: st.SearchStrategy[Schedule] = st.one_of(
    st.builds(GeometricSchedule, growth=st.floats(1.1, 9), first=st.integers(1, 9)),
    st.builds(
        ListedSchedule,
        checkpoints=st.sets(st.integers(1, 200), min_size=1, max_size=6).map(
            lambda points: tuple(sorted(points))
        ),
    ),
)


@st.composite
def scenes(draw: st.DrawFn, least: int = 0) -> Scene:
    arms = draw(st.integers(2, 7))
    active = sorted(draw(st.sets(st.integers(0, arms - 1), min_size=1)))
    delta, sigma = draw(st.floats(1e-6, 0.9)), draw(st.floats(1e-2, 2))
    schedule = draw(schedules)
    together = draw(st.booleans())
    stride = Stride.TOGETHER if together else Stride.APART

    def confident(stride: Stride) -> Confidence:
        fitting = [name for name in sorted(WIDTHS) if WIDTHS[name].fits(stride)]
        width = WIDTHS[draw(st.sampled_from(fitting))](
            arms=arms, delta=delta, sigma=sigma, certain=True, bounds=(-3.0, 3.0)
        )
        return width.confidence(stride)

    confidence = confident(stride)
    context = PolicyContext(arms=arms, delta=delta, confidence=confidence, schedule=schedule)
    common = draw(st.integers(least, 12))
    views, means = [], {}
    for arm in active:
        index = common if together else draw(st.integers(least, 12))
        while index and schedule.pulls_at(index) is None:
            index -= 1
        pulls = (schedule.pulls_at(index) if index else 0) or 0
        error = draw(st.floats(0, 0.2)) if index else math.inf
        view = ArmView(arm=arm, mean=0.0, pulls=pulls, messages=index, index=index, error=error)
        if index:
            means[arm] = draw(st.floats(-3, 3) | st.sampled_from([0.0, 0.35, 1.0]))
            off = draw(st.one_of(st.floats(-1, 1), st.sampled_from([-1.0, 1.0])))
            mean = means[arm] + off * context.confidence.separation(view, view) / 2
            view = ArmView(
                arm=arm, mean=mean, pulls=pulls, messages=index, index=index, error=error
            )
        views.append(view)
    rival = draw(st.none() | st.integers(0, arms - 1))
    return Scene(
        views=views,
        context=context,
        means=means,
        judged=replace(context, confidence=confident(Stride.JUDGED), schedule=LooksSchedule()),
        rival=rival,
        beaten=set() if rival is None else draw(st.sets(st.sampled_from(active))) - {rival},
        rungs={arm: draw(st.none() | st.integers(0, 61)) for arm in active},
        spreads={arm: draw(st.none() | st.integers(-40, 2)) for arm in active},
    )


def as_judged(scene: Scene) -> Scene:
    """As a policy sees it whose agents judge: told cells within the bounds, looks for a grid."""
    schedule = scene.judged.schedule
    views = []
    for view in scene.views:
        beaten = bool(view.index) and view.arm in scene.beaten
        views.append(
            replace(
                view,
                mean=min(max(view.mean, -3.0), 3.0),
                pulls=(schedule.pulls_at(view.index) if view.index else 0) or 0,
                error=math.inf if beaten else view.error,
                spread=scene.spreads[view.arm],
                rung=scene.rungs[view.arm],
                open_above=scene.rungs[view.arm] is not None,
                beaten_by=scene.rival if beaten else None,
            )
        )
    return replace(scene, views=views, context=scene.judged)


def fitted(policy: Policy, scene: Scene) -> Scene:
    """The scene on the grid that the policy is made for: a budget has its own."""
    if policy.stride is Stride.JUDGED:
        return as_judged(scene)
    if not has_phases(policy):
        return scene
    grid = tuple(phase.until for phase in policy.phases(scene.context.arms))
    views = [
        replace(
            view, index=min(view.index, len(grid)), pulls=(0, *grid)[min(view.index, len(grid))]
        )
        for view in scene.views
    ]
    context = replace(scene.context, schedule=ListedSchedule(checkpoints=grid))
    return replace(scene, views=views, context=context)


def seen_by_each(scene: Scene) -> Iterator[tuple[Policy, Scene]]:
    """Every policy, with the scene on its grid: to draw one takes far longer than to decide."""
    for policies in SETTINGS.values():
        for policy in policies:
            note(f"decided by {policy}")
            yield policy, fitted(policy, scene)


def split(actions: tuple[Action, ...]) -> tuple[list[Advance], list[Drop], list[Stop]]:
    return (
        [action for action in actions if isinstance(action, Advance)],
        [action for action in actions if isinstance(action, Drop)],
        [action for action in actions if isinstance(action, Stop)],
    )


@some
@given(drawn=scenes())
def test_decide_is_a_function_of_its_arguments(drawn: Scene) -> None:
    for policy, scene in seen_by_each(drawn):
        before = copy.deepcopy(scene.views)
        actions = policy.decide(scene.views, scene.context)
        assert scene.views == before
        assert policy.decide(tuple(before), copy.deepcopy(scene.context)) == actions
        assert isinstance(actions, tuple)


@some
@given(drawn=scenes())
def test_the_actions_either_stop_or_advance_an_arm_that_is_not_dropped(drawn: Scene) -> None:
    for policy, scene in seen_by_each(drawn):
        active = {view.arm for view in scene.views}
        advances, drops, stops = split(policy.decide(scene.views, scene.context))
        dropped = {drop.arm for drop in drops}
        advanced = {advance.arm for advance in advances}
        assert bool(advances) != bool(stops)
        assert len(stops) <= 1
        assert dropped | advanced <= active
        assert not dropped & advanced
        assert len(dropped) == len(drops)
        assert len(advanced) == len(advances)


@some
@given(drawn=scenes())
def test_an_advance_always_adds_pulls_and_goes_to_the_grid(drawn: Scene) -> None:
    for policy, scene in seen_by_each(drawn):
        pulls = {view.arm: view.pulls for view in scene.views}
        schedule = scene.context.schedule
        for advance in split(policy.decide(scene.views, scene.context))[0]:
            assert advance.until > pulls[advance.arm]
            assert schedule.pulls_at(schedule.index_at(advance.until)) == advance.until


@some
@given(drawn=scenes())
def test_a_drop_names_a_survivor_and_only_a_decision_names_an_answer(drawn: Scene) -> None:
    for policy, scene in seen_by_each(drawn):
        active = {view.arm for view in scene.views}
        _, drops, stops = split(policy.decide(scene.views, scene.context))
        survivors = active - {drop.arm for drop in drops}
        assert all(drop.because in survivors for drop in drops)
        for stop in stops:
            if stop.outcome is policy.answers:
                assert stop.best_arm in survivors
            else:
                assert stop.best_arm is None
                assert stop.outcome is Outcome.SAMPLE_LIMIT
                ends = [scene.context.schedule.pulls_at(view.index + 1) for view in scene.views]
                assert None in ends  # only the end of the grid stops a policy without an answer


@some
@given(drawn=scenes(), data=st.data())
def test_no_arm_is_judged_before_every_arm_was_heard(drawn: Scene, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(drawn.views) - 1))
    for policy, scene in seen_by_each(drawn):
        views, arm = [*scene.views], scene.views[place].arm
        views[place] = ArmView(arm=arm, mean=0.0, pulls=0, messages=0, index=0, error=math.inf)
        advances, drops, stops = split(policy.decide(views, scene.context))
        assert not drops
        assert not [stop for stop in stops if stop.outcome is policy.answers]
        unheard = {view.arm for view in views if not view.messages}
        assert stops or unheard & {advance.arm for advance in advances}


SPEC = RunSpec(
    arms=("a", "b"),
    delta=0.1,
    sigma=1.0,
    bounds=(0.0, 1.0),
    quantizer=Icq(bits=1, prior="midpoint"),
    width="paper",
    schedule=paper_schedule(3),
    priors=(),
    seed=0,
)


def wrong(policy: Policy, scene: Scene, context: PolicyContext) -> list[Action]:
    """The drops and answers that the true means refute."""
    epsilon = getattr(policy, "epsilon", 0.0)
    rounding = 1e-12
    _, drops, stops = split(policy.decide(scene.views, context))
    bad: list[Action] = [
        drop for drop in drops if scene.means[drop.arm] > scene.means[drop.because] + rounding
    ]
    best = max(scene.means.values())
    bad += [
        stop
        for stop in stops
        if stop.best_arm is not None and scene.means[stop.best_arm] < best - epsilon - rounding
    ]
    return bad


BY_PROOF = [policy for name in ("se", "lucb", "lil-ucb", "top-two") for policy in SETTINGS[name]]


def test_those_that_count_pulls_or_spend_a_budget_object_to_quantized_batches() -> None:
    view = ArmView(arm=0, mean=0.5, pulls=9, messages=2, index=2, error=0.1)
    objecting = {
        name
        for name, policies in SETTINGS.items()
        if any(policy.objection(SPEC, [view]) is not None for policy in policies)
    }
    assert objecting == {"lil-ucb-count", "sequential-halving", "successive-rejects"}


@pytest.mark.slow
@settings(max_examples=300)
@given(scene=scenes(least=1))
def test_drops_and_answers_are_right_whenever_all_bounds_hold(scene: Scene) -> None:
    # Theorem 4 and Remark 1: on the event of Lemma 3 nothing goes wrong.
    for policy in BY_PROOF:
        assert not wrong(policy, scene, scene.context), policy


@dataclass(frozen=True)
class Half:
    """A confidence that promises twice what it can keep."""

    sound: Confidence

    def radius(self, view: ArmView) -> float:
        return self.sound.radius(view) / 2

    def margin(self, loser: ArmView, winner: ArmView) -> float:
        return self.sound.margin(loser, winner) / 2

    def separation(self, loser: ArmView, winner: ArmView) -> float:
        return self.sound.separation(loser, winner) / 2


SEARCH = settings(max_examples=5000, phases=[Phase.generate])  # any example will do: no shrinking


@pytest.mark.slow
def test_with_half_the_radius_the_same_search_misleads_each_of_them() -> None:
    misled: set[str] = set()

    def misleads_the_last(scene: Scene) -> bool:
        halved = replace(scene.context, confidence=Half(scene.context.confidence))
        misled.update(str(policy) for policy in BY_PROOF if wrong(policy, scene, halved))
        return len(misled) == len(BY_PROOF)

    with suppress(NoSuchExample):
        find(scenes(least=1), misleads_the_last, settings=SEARCH)
    assert misled == set(map(str, BY_PROOF))
