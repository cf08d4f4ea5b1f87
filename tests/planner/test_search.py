"""The search: a race, a climb and a final on environments that chose nobody."""

import pytest
from planner.questions import ask

from bitarm.errors import ConfigError
from bitarm.planner.candidates import coarse
from bitarm.planner.frames import Fit
from bitarm.planner.gauge import Gauge
from bitarm.planner.question import Question
from bitarm.planner.search import Search, Tried
from bitarm.planner.setting import Setting

pytestmark = pytest.mark.slow  # compiles kernels


def _search(question: Question) -> Search:
    gauge = Gauge(question, seed=1)
    return Search(gauge=gauge, fit=Fit(question, gauge.spec_of))


def _found(search: Search, starts: list[Setting]) -> Tried:
    search.explore(starts)
    return search.settle()


def test_a_climb_does_not_end_above_where_it_began() -> None:
    search = _search(ask())
    start = search.compare(coarse(ask())[0])
    assert start is not None
    search.climb(start)
    best = min(search.compared.values(), key=lambda it: it.score)
    assert best.score < start.score


def test_a_bad_start_is_left_behind() -> None:
    question = ask(per_pull=1.0)
    search = _search(question)
    late = coarse(question)[0].with_word("first", 3 * question.longest)
    found = _found(search, [late])
    first = search.compared[late]
    assert found.figures.cost.mean < 0.6 * first.figures.cost.mean


def test_bits_alone_and_pulls_alone_lead_to_other_settings() -> None:
    bits, pulls = (
        _found(_search(question), coarse(question))
        for question in (ask(per_bit=1.0), ask(per_pull=1.0))
    )
    assert bits.figures.payload_bits.mean < 0.5 * pulls.figures.payload_bits.mean
    assert pulls.figures.samples.mean < 0.5 * bits.figures.samples.mean


def test_free_pulls_are_not_wasted() -> None:
    question = ask(per_message=1.0)
    found = _found(_search(question), coarse(question))
    assert found.figures.messages.mean == pytest.approx(4, rel=0.02)  # one report an arm
    assert found.figures.samples.mean < 3 * 4 * question.longest


def test_only_what_the_link_carries_is_returned() -> None:
    question = ask(bounds=(0.0, 1.0), gap=0.3, link="lorawan-us915-dr0")
    found = _found(_search(question), coarse(question))
    assert found.setting.words["quantizer"] == "icq"


def test_if_nothing_fits_the_reason_is_told() -> None:
    question = ask(link="lorawan-us915-dr0")  # without bounds a codeword can be long
    with pytest.raises(ConfigError, match=r"no setting fits: the link .* carries 11 bytes up"):
        _found(_search(question), coarse(question))
