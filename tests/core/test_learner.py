"""The learner: what becomes of an answer, what is refused, what is said from outside."""

from dataclasses import replace
from itertools import product

import pytest
from core.learners import ARM, FIELD, NUMBER, SPEC, learner_in, report_of, started, symbol_of
from networks import learner_state_through_json
from tapes import make_spec

from bitarm.core.bits import Symbol
from bitarm.core.epochs import run_field
from bitarm.core.events import CaveatNoted, ReportAccepted, ReportIgnored
from bitarm.core.learner import Learner
from bitarm.core.learner_state import ArmPhase, LearnerOutput
from bitarm.core.messages import Answer, Cause, Dismiss, Fit, Position, Report, fit
from bitarm.core.outcome import Outcome
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.quantizers import Exact, FedSel, Icq, Quantizer, QuBan
from bitarm.core.setup import Setup
from bitarm.errors import ConfigError, LocalProtocolError, PeerProtocolError

# -- the table ------------------------------------------------------------------------------------

_TABLE = {
    (ArmPhase.RESTING, Fit.LATE): "ignored",
    (ArmPhase.RESTING, Fit.REPEAT): "ignored",
    (ArmPhase.RESTING, Fit.NEXT): "refused",
    (ArmPhase.RESTING, Fit.SKIPS): "refused",
    (ArmPhase.AWAITED, Fit.LATE): "ignored",
    (ArmPhase.AWAITED, Fit.REPEAT): "ignored",
    (ArmPhase.AWAITED, Fit.NEXT): "accepted",
    (ArmPhase.AWAITED, Fit.SKIPS): "refused",
    (ArmPhase.OUT, Fit.LATE): "dismissed",
    (ArmPhase.OUT, Fit.REPEAT): "dismissed",
    (ArmPhase.OUT, Fit.NEXT): "refused",
    (ArmPhase.OUT, Fit.SKIPS): "refused",
}


def test_the_table_has_every_phase_and_fit() -> None:
    assert set(_TABLE) == set(product(ArmPhase, Fit))
    assert {how: fit(number, 2) for how, number in NUMBER.items()} == {how: how for how in Fit}


@pytest.mark.parametrize("dropped", [False, True])
@pytest.mark.parametrize(
    ("phase", "how", "expected"), [(*entry, expected) for entry, expected in _TABLE.items()]
)
def test_what_becomes_of_a_report(
    phase: ArmPhase, how: Fit, expected: str, *, dropped: bool
) -> None:
    dropped = dropped and phase is ArmPhase.OUT
    learner = learner_in(phase, dropped=dropped)
    before, record = learner.save(), learner.arms[ARM]
    answered = record.asked - 1 if phase is ArmPhase.AWAITED else record.asked
    number = answered + NUMBER[how] - 2
    said = record.symbol if how is Fit.REPEAT and record.symbol else symbol_of(0.5)
    report = Report(run=FIELD, arm=ARM, message=number, symbol=said)
    if expected == "refused":
        with pytest.raises(PeerProtocolError, match=rf"arm {ARM}, message {number}: was not ask"):
            learner.receive(report)
        assert learner.save() == before
        return
    output = learner.receive(report)
    if expected in ("ignored", "dismissed"):
        cause = Cause.DROPPED if dropped else Cause.ENDED
        again = Dismiss(run=FIELD, arm=ARM, cause=cause)
        assert output == LearnerOutput(
            events=(ReportIgnored(arm=ARM, message=number),),
            messages=(again,) if expected == "dismissed" else (),
        )
        assert learner.save() == before
        return
    (accepted,) = output.events
    assert isinstance(accepted, ReportAccepted)
    assert (accepted.arm, accepted.message, accepted.round, accepted.pulls) == (ARM, 3, 3, 8)
    assert accepted.mean == 0.5
    record = learner.arms[ARM]
    assert (record.phase, record.message, record.pulls) == (ArmPhase.RESTING, 3, 8)
    assert record.held.mean == 0.5
    assert learner.samples == before.samples + 4
    assert learner.payload_bits == before.payload_bits + 64


# -- refusals -------------------------------------------------------------------------------------

_OTHER_RUN = run_field(0x123456, 1)
_LATER, _EARLIER = FIELD + 1, FIELD - 1
_NAN = Symbol(0x7FF8_0000_0000_0000, 64)
_REFUSED = {
    "another run": (ArmPhase.AWAITED, replace(report_of(1, 3), run=_OTHER_RUN), "is for run"),
    "another run, long ago": (ArmPhase.OUT, replace(report_of(1, 1), run=_OTHER_RUN), "is for run"),
    "an arm above the last": (ArmPhase.AWAITED, report_of(3, 3), "only 3 arms"),
    "an arm below the first": (ArmPhase.AWAITED, report_of(-1, 3), "only 3 arms"),
    "a later epoch": (
        ArmPhase.AWAITED,
        replace(report_of(1, 3), run=_LATER),
        "is of epoch 2, this is epoch 1",
    ),
    "an earlier epoch": (ArmPhase.RESTING, replace(report_of(1, 3), run=_EARLIER), "is of epoch 0"),
    "another epoch, out": (ArmPhase.OUT, replace(report_of(1, 1), run=_LATER), "is of epoch 2"),
    "not asked for": (ArmPhase.RESTING, report_of(1, 4), "was not asked for; 3 were in this epoch"),
    "skips": (ArmPhase.AWAITED, report_of(1, 9), "was not asked for; 3 were in this epoch"),
    "a position that was not asked for": (
        ArmPhase.RESTING,
        Position(run=FIELD, arm=1, message=4, pulls=9),
        "was not asked for",
    ),
    "a position in a run that was never resumed": (
        ArmPhase.AWAITED,
        Position(run=FIELD, arm=1, message=3, pulls=9),
        "says that 9 pulls were made, 8 were asked for, and nobody else ever asked",
    ),
    "a symbol too short": (
        ArmPhase.AWAITED,
        replace(report_of(1, 3), symbol=Symbol(0, 63)),
        "63 bits, 64 were expected",
    ),
    "a symbol too long": (
        ArmPhase.AWAITED,
        replace(report_of(1, 3), symbol=Symbol(0, 65)),
        "65 bits, 64 were expected",
    ),
    "an empty symbol": (ArmPhase.AWAITED, replace(report_of(1, 3), symbol=Symbol(0, 0)), "0 bits"),
    "a mean that is no number": (
        ArmPhase.AWAITED,
        replace(report_of(1, 3), symbol=_NAN),
        "must be finite",
    ),
}


@pytest.mark.parametrize(("phase", "report", "why"), _REFUSED.values(), ids=_REFUSED)
def test_a_report_that_does_not_fit_is_refused_and_changes_nothing(
    phase: ArmPhase, report: Answer, why: str
) -> None:
    learner = learner_in(phase)
    before = learner.save()
    with pytest.raises(PeerProtocolError, match=why) as refusal:
        learner.receive(report)
    assert str(refusal.value).startswith(f"arm {report.arm}, message {report.message}: ")
    assert learner.save() == before


@pytest.mark.parametrize(
    ("quantizer", "symbol"),
    [
        (Exact(), Symbol(1, 32)),
        (Icq(bits=3), Symbol(1, 2)),
        (Icq(bits=3), Symbol(1, 4)),
        (Icq(bits=3, prior="quban"), Symbol(0b1110, 5)),
        (Icq(bits=3, prior="quban"), Symbol(0b11, 2)),
        (QuBan(), Symbol(0b111, 3)),
        (QuBan(), Symbol(0, 4)),
        (FedSel(), Symbol(0, 40)),
    ],
    ids=str,
)
def test_a_symbol_of_the_wrong_length_is_refused_whatever_the_quantizer(
    quantizer: Quantizer, symbol: Symbol
) -> None:
    spec = make_spec(quantizer=quantizer)
    learner = Learner(Setup(spec=spec, policy=SuccessiveElimination()))
    learner.start()
    before = learner.save()
    with pytest.raises(PeerProtocolError, match=r"arm 2, message 1: symbol"):
        learner.receive(Report(run=learner.pending[2].run, arm=2, message=1, symbol=symbol))
    assert learner.save() == before


@pytest.mark.parametrize("resumed", [False, True])
def test_report_number_0_changes_nothing(*, resumed: bool) -> None:
    learner, field = learner_in(ArmPhase.AWAITED) if resumed else started(), FIELD
    if resumed:
        learner.begin(2)
        field = _LATER
    before = learner.save()
    try:
        output = learner.receive(replace(report_of(0, 0, 0.125), run=field))
    except PeerProtocolError:
        pass
    else:
        assert output == LearnerOutput(events=(ReportIgnored(arm=0, message=0),))
    assert learner.save() == before


def test_a_learner_starts_once() -> None:
    learner = started()
    before = learner.save()
    with pytest.raises(LocalProtocolError, match="started before"):
        learner.start()
    assert learner.save() == before


@pytest.mark.parametrize(
    "step",
    [
        lambda learner: learner.receive(report_of(0, 1)),
        lambda learner: learner.interrupt(),
        lambda learner: learner.note("clipped"),
        lambda learner: learner.begin(2),
        lambda learner: learner.renew({0: 0}),
        lambda learner: learner.lose((0,)),
    ],
    ids=["receive", "interrupt", "note", "begin", "renew", "lose"],
)
def test_nothing_happens_before_the_start(step: object) -> None:
    learner = Learner(Setup(spec=SPEC, policy=SuccessiveElimination()))
    before = learner.save()
    assert callable(step)
    with pytest.raises(LocalProtocolError):
        step(learner)
    assert learner.save() == before
    assert learner.pending == ()


@pytest.mark.parametrize(
    "step",
    [
        lambda learner: learner.start(),
        lambda learner: learner.interrupt(),
        lambda learner: learner.note("clipped"),
        lambda learner: learner.renew({0: 0}),
        lambda learner: learner.lose((0,)),
    ],
    ids=["start", "interrupt", "note", "renew", "lose"],
)
def test_an_ended_learner_cannot_be_used_again(step: object) -> None:
    learner = learner_in(ArmPhase.OUT)
    before = learner.save()
    assert callable(step)
    with pytest.raises(LocalProtocolError):
        step(learner)
    assert learner.save() == before


# -- two answers to one question ------------------------------------------------------------------

_TWO_ANSWERS = "arm-1 (arm 1) gave two different answers to one question"
_CONTRADICTIONS: dict[str, tuple[ArmPhase, Answer]] = {
    "awaited": (ArmPhase.AWAITED, report_of(1, 2, 0.25)),
    "resting": (ArmPhase.RESTING, report_of(1, 3, 0.25)),
    "a position": (ArmPhase.RESTING, Position(run=FIELD, arm=1, message=3, pulls=9)),
    "dropped": (ArmPhase.OUT, report_of(1, 2, 0.25)),
}


@pytest.mark.parametrize(("phase", "answer"), _CONTRADICTIONS.values(), ids=_CONTRADICTIONS)
def test_two_different_answers_to_one_question_void_the_guarantee(
    phase: ArmPhase, answer: Answer
) -> None:
    learner = learner_in(phase, dropped=phase is ArmPhase.OUT)
    before = learner.save()
    output = learner.receive(answer)
    (noted,) = output.events
    assert isinstance(noted, CaveatNoted)
    assert noted.text.startswith(_TWO_ANSWERS)
    farewell = (Dismiss(run=FIELD, arm=1, cause=Cause.DROPPED),)
    assert output.messages == (farewell if phase is ArmPhase.OUT else ())
    assert learner.save() == replace(before, caveats=(noted.text,))
    assert learner.receive(answer).events == ()  # said once, and that is enough
    while learner.pending:
        request = learner.pending[0]
        learner.receive(report_of(request.arm, request.message, -1e6 * request.arm))
    assert learner.ending is not None
    assert (learner.ending.outcome, learner.ending.best_arm) == (Outcome.DECIDED, 0)
    assert learner.ending.guarantee is None
    assert learner.ending.guarantee_reason.startswith(_TWO_ANSWERS)


@pytest.mark.parametrize("dropped", [False, True])
def test_after_the_end_a_contradiction_changes_nothing(*, dropped: bool) -> None:
    learner = learner_in(ArmPhase.OUT, dropped=dropped)
    if dropped:
        learner.interrupt()
    before = learner.save()
    output = learner.receive(report_of(ARM, 2, 0.25))
    assert output.events == (ReportIgnored(arm=ARM, message=2),)
    assert output.messages == (Dismiss(run=FIELD, arm=ARM, cause=Cause.ENDED),)
    assert learner.save() == before


# -- interruptions and caveats --------------------------------------------------------------------


def test_an_interrupted_run_answers_nothing() -> None:
    learner = learner_in(ArmPhase.AWAITED)
    output = learner.interrupt()
    ending = learner.ending
    assert ending is not None
    assert output.events == (ending,)
    assert (ending.outcome, ending.best_arm) == (Outcome.INTERRUPTED, None)
    assert ending.guarantee is None
    assert ending.guarantee_reason == "no answer: the run ended with interrupted"
    assert (ending.rounds, ending.samples, ending.payload_bits) == (3, 12, 6 * 64)


def test_a_caveat_is_noted_once_and_voids_the_guarantee() -> None:
    learner = started()
    assert learner.note("2 clipped") == LearnerOutput(events=(CaveatNoted(text="2 clipped"),))
    assert learner.note("2 clipped") == LearnerOutput()
    assert learner.note("late") == LearnerOutput(events=(CaveatNoted(text="late"),))
    for arm, mean in enumerate((0.5, -1e6, -2e6)):
        learner.receive(report_of(arm, 1, mean))
    assert learner.ending is not None
    assert (learner.ending.outcome, learner.ending.best_arm) == (Outcome.DECIDED, 0)
    assert learner.ending.guarantee is None
    assert learner.ending.guarantee_reason == "2 clipped; late"


# -- restarts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dropped", [False, True])
@pytest.mark.parametrize("phase", list(ArmPhase))
def test_a_state_survives_json(phase: ArmPhase, *, dropped: bool) -> None:
    learner = learner_in(phase, dropped=dropped and phase is ArmPhase.OUT)
    state = learner.save()
    assert learner_state_through_json(state) == state


def test_a_saved_state_does_not_change_with_the_learner() -> None:
    learner = learner_in(ArmPhase.AWAITED)
    state, copy = learner.save(), learner_state_through_json(learner.save())
    learner.interrupt()
    assert state == copy
    assert learner.save() != state


def test_what_cannot_be_asked_is_a_fault_of_the_settings_and_changes_nothing() -> None:
    """σ so small that a step is no float: who set it can mend it."""
    spec = make_spec(quantizer=QuBan(epsilon_quban=0.5), sigma=5e-324, bounds=None)
    learner = Learner(Setup(spec=spec, policy=SuccessiveElimination()))
    before = learner.save().arms
    with pytest.raises(ConfigError, match=r"cannot be asked for its mean .* step must be .* sigma"):
        learner.start()
    assert learner.save().arms == before
