"""Epochs: who was there later, in serial arithmetic; and the four bytes that name run and epoch."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitarm.core.epochs import (
    FIRST_EPOCH,
    after,
    is_epoch,
    is_later,
    is_near,
    run_field,
    run_of_opening,
    split_field,
)

epochs = st.integers(0, 255)
runs = st.integers(0, 2**24 - 1)


@given(run=runs, epoch=epochs)
def test_a_run_field_has_four_bytes_and_is_taken_apart_again(run: int, epoch: int) -> None:
    field = run_field(run, epoch)
    assert 0 <= field < 2**32
    assert split_field(field) == (run, epoch)
    assert field.to_bytes(4) == run.to_bytes(3) + epoch.to_bytes(1)


@given(epoch=epochs, ahead=st.integers(-300, 300))
def test_of_two_epochs_the_later_is_less_than_half_a_turn_ahead(epoch: int, ahead: int) -> None:
    other = (epoch + ahead) % 256
    assert is_later(other, epoch) == (ahead % 256 in range(1, 128))
    assert not (is_later(other, epoch) and is_later(epoch, other))
    assert not is_later(epoch, epoch)


@given(epoch=epochs)
def test_opposite_epochs_are_neither_earlier_nor_later(epoch: int) -> None:
    other = (epoch + 128) % 256
    assert not is_later(other, epoch)
    assert not is_later(epoch, other)


@given(known=epochs, ahead=st.lists(st.integers(-60, 60)))
def test_the_next_epoch_is_one_above_all_that_were_heard_of(known: int, ahead: list[int]) -> None:
    heard = [(known + distance) % 256 for distance in ahead]
    taken = after(known, heard)
    assert is_epoch(taken)
    assert all(is_later(taken, epoch) for epoch in (known, *heard))
    assert (taken - 1) % 256 in (known, *heard)


def test_epochs_go_on_for_ever() -> None:
    epoch = FIRST_EPOCH
    for _ in range(1000):
        following = after(epoch)
        assert is_later(following, epoch)
        epoch = following
    assert after(255) == 0
    assert after(0, [255, 254]) == 1
    assert after(255, [0, 3]) == 4


def test_a_run_is_named_by_24_bits_of_its_openings_hash() -> None:
    assert run_of_opening("a run") == run_of_opening("a run") != run_of_opening("another run")
    names = {run_of_opening(f"opening {number}") for number in range(2000)}
    assert len(names) >= 1998
    assert all(0 <= name < 2**24 for name in names)
    assert run_of_opening("") == 0xCEC7EA  # of every version, or resumed runs would change names


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0, True), (1, True), (255, True), (-1, False), (256, False), (1.0, False), (True, False),
     ("1", False), (None, False)],
)  # fmt: skip
def test_what_is_the_number_of_an_epoch(value: object, *, expected: bool) -> None:
    assert is_epoch(value) is expected


@given(known=epochs, ahead=st.integers(0, 255))
def test_who_is_one_to_64_ahead_can_have_gone_on_since_and_nobody_else(
    known: int, ahead: int
) -> None:
    other = (known + ahead) % 256
    assert is_near(other, known) == (1 <= ahead <= 64)
    assert after(known, [other]) == (known + (ahead if 1 <= ahead <= 64 else 0) + 1) % 256


@pytest.mark.parametrize(("ahead", "taken"), [(0, 201), (1, 202), (64, 9), (65, 201)])
def test_whom_the_next_epoch_passes_is_told_to_the_last_one(ahead: int, taken: int) -> None:
    assert after(200, [(200 + ahead) % 256]) == taken
