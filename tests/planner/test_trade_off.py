"""The trade-off: who is on it, who may be, and how many are shown."""

from dataclasses import replace

from planner.fabricated import figures, tried

from bitarm.planner.scheme_words import SchemeWords
from bitarm.planner.trade_off import front, near_front, thinned, with_plan


def test_no_point_of_the_front_is_beaten_in_both_and_all_others_are() -> None:
    points = [tried(s, b) for s, b in ((10, 9), (12, 5), (11, 9), (20, 5), (30, 1), (30, 2))]
    best = front(points)
    assert [(point.figures.samples.mean, point.figures.payload_bits.mean) for point in best] == [
        (10, 9),
        (12, 5),
        (30, 1),
    ]


def test_what_the_link_does_not_carry_is_on_no_front_and_beats_nobody() -> None:
    points = [tried(s, b) for s, b in ((10, 9), (12, 5), (12.2, 5.1), (30, 1))]
    unfit = points[1].setting

    def carries(setting: SchemeWords) -> bool:
        return setting != unfit

    assert front(points, carries) == [points[0], points[2], points[3]]
    assert near_front(points, carries) == [points[0], points[2], points[3]]


def test_who_is_beaten_by_less_than_the_noise_is_measured_again() -> None:
    best, close, far = tried(100, 50), tried(103, 52), tried(120, 60)
    assert near_front([best, close, far]) == [best, close]


def test_a_thinned_curve_keeps_both_ends_and_few_points() -> None:
    curve = [tried(100 * 1.2**i, 1000 / 1.2**i) for i in range(40)]
    thin = thinned(curve, 7)
    assert len(thin) == 7
    assert (thin[0], thin[-1]) == (curve[0], curve[-1])


def test_two_points_that_are_nearly_one_are_shown_as_one() -> None:
    near = [tried(100, 50), tried(101, 49.5), tried(200, 20), tried(201, 19.9)]
    assert thinned(near, 10) == [near[0], near[3]]
    assert thinned(near[:1], 10) == near[:1]
    assert thinned([], 10) == []


def test_the_plan_is_on_the_curve_and_nothing_there_seems_cheaper() -> None:
    curve = [tried(100, 90), tried(200, 50), tried(400, 20)]
    dear, cheap = (
        replace(tried(samples, bits), figures=figures(cost=cost, samples=samples, bits=bits))
        for samples, bits, cost in ((300, 60, 0.5), (300, 10, 1.5))
    )
    beaten = with_plan(curve, dear)  # its price is for something else
    assert [point.figures.samples.mean for point in beaten] == [100, 200, 300, 400]
    assert with_plan(curve, cheap) == (cheap,)  # those at a cost of 1 must have been lucky
    assert with_plan([dear], dear) == (dear,)
