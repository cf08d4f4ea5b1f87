"""Two learners of one run: who goes on."""

import pytest

from bitarm.runtime.learner.rivals import Verdict, judge
from bitarm.wire.status import Presence, Status


def _judged(
    *,
    epoch: int | None,
    boot: str = "m",
    opening: str = "first",
    presence: Presence = Presence.ONLINE,
    has_ended: bool = False,
) -> Verdict:
    """By the learner whose process is `k`, in epoch 5."""
    status = Status(presence=presence, opening=opening, epoch=epoch, boot=boot)
    return judge(status, boot="k", opening="first", epoch=5, has_ended=has_ended)


@pytest.mark.parametrize("presence", list(Presence))
@pytest.mark.parametrize("has_ended", [False, True])
def test_its_own_word_and_another_run_s_mean_nothing(
    presence: Presence, *, has_ended: bool
) -> None:
    for told in ({"boot": "k"}, {"opening": "second"}):
        verdict = _judged(epoch=5, presence=presence, has_ended=has_ended, **told)
        assert verdict is Verdict.NOTHING
    assert _judged(epoch=None, presence=presence, has_ended=has_ended) is Verdict.NOTHING


@pytest.mark.parametrize("presence", list(Presence))
def test_a_later_epoch_is_yielded_to_and_an_earlier_one_is_not(presence: Presence) -> None:
    assert _judged(epoch=6, presence=presence) is Verdict.YIELD
    assert _judged(epoch=4, presence=presence) is Verdict.SAY_AGAIN
    if presence is not Presence.DONE:
        assert _judged(epoch=6, presence=presence, has_ended=True) is Verdict.YIELD


def test_who_ended_a_run_leaves_it_to_who_ended_it_later() -> None:
    assert _judged(epoch=6, presence=Presence.DONE, has_ended=True) is Verdict.TOLD


def test_of_two_that_took_one_epoch_just_one_goes_on_and_takes_another() -> None:
    assert _judged(epoch=5, boot="m") is Verdict.YIELD
    assert _judged(epoch=5, boot="a") is Verdict.OUTBID
    assert _judged(epoch=5, boot="m", presence=Presence.OFFLINE) is Verdict.OUTBID


@pytest.mark.parametrize("boot", ["a", "m"])
def test_who_ended_a_run_says_so_again(boot: str) -> None:
    assert _judged(epoch=5, boot=boot, has_ended=True) is Verdict.SAY_AGAIN
