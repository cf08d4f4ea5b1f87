"""What follows from each message that reaches the learner's service.

It depends on whose topic the message came by, and on what is said there: the two tables at the end
of this file have all cases. What else comes in is refused.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from bitarm import wire
from bitarm.core.events import CaveatNoted, PullsCounted
from bitarm.core.learner_state import ArmPhase
from bitarm.core.messages import Position, Report
from bitarm.core.rewards import CLIPPED, REFUSED
from bitarm.errors import PeerProtocolError, ProtocolError, TransportError
from bitarm.runtime.learner.ongoing import OngoingRun
from bitarm.runtime.learner.processes import newcomer
from bitarm.runtime.learner.rivals import Verdict, judge
from bitarm.runtime.learner.roster import Member, Sign
from bitarm.wire.status import Presence, Status, load_status
from bitarm.wire.topics import LEARNER, Subject

_STATUS_BYTES = 16 << 10  # names, codes, a reason, and the starts' names
_STATUS_BYTES_AN_ARM = 400  # its count now, at the end, and at eight earlier starts


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A message, and whether the broker had retained it from before we subscribed."""

    topic: str
    payload: bytes
    retained: bool


def take_in(run: OngoingRun, message: Received, now: float) -> None:
    """Let a message have its effect on the run.

    FrameError or ProtocolError if its sender must not say that; the run is then as it was.
    """
    parsed = run.topics.read(message.topic)
    if parsed is not None and parsed.agent == LEARNER and parsed.subject in _OF_LEARNERS:
        _OF_LEARNERS[parsed.subject](run, message)
    elif parsed is not None and parsed.agent in run.roster.members and parsed.subject in _OF_AGENTS:
        _OF_AGENTS[parsed.subject](run, run.roster.members[parsed.agent], message, now)
    else:
        raise PeerProtocolError("this run has no such agent")


# -- other learners --------------------------------------------------------------------------


def _heard_probe(run: OngoingRun, message: Received) -> None:
    """Somebody asks whether this run has a learner."""
    run.retained.say_status()


def _heard_end(run: OngoingRun, message: Received) -> None:
    """A learner's word that its run is over. If we go on with that run, it is not."""
    if _heard_learner(run, message) in (Verdict.OUTBID, Verdict.SAY_AGAIN):
        run.retained.take_end_back()


def _heard_learner(run: OngoingRun, message: Received) -> Verdict:
    """A learner's status: our own, of one before us, or of one that has taken over."""
    if not message.payload:
        return Verdict.NOTHING
    status, ours = load_status(message.payload), run.learner.epoch
    if status.opening == run.learner.opening and run.farewell.is_told_since(status.epoch):
        return Verdict.TOLD
    verdict = judge(
        status,
        boot=run.boot,
        opening=run.learner.opening,
        epoch=ours,
        has_ended=run.has_ended,
    )
    if verdict is Verdict.YIELD:
        run.failure = TransportError(
            f"another learner has taken over run {run.fleet.fleet!r}: it speaks in epoch "
            f"{status.epoch}, this one in {ours}. This one stops; the run goes on there"
        )
    elif verdict is Verdict.TOLD:
        run.farewell.told_by_another(status.epoch)
    elif verdict is Verdict.OUTBID:
        run.outbid([ours])
    elif verdict is Verdict.SAY_AGAIN:
        run.retained.say_all()
        run.farewell.tell_again()
    return verdict


# -- agents ----------------------------------------------------------------------------------


def _heard_status(run: OngoingRun, member: Member, message: Received, now: float) -> None:
    """An agent says whether it is there, which run it serves, and what it remembers."""
    if not message.payload:
        return  # cleared by an agent that is done
    try:
        status = _status_of(member, message.payload)
    except ProtocolError:
        # It may have been a new process's first word: whose answers come next is not known, and
        # none is read until a status can be. An agent that is not asked says it again by itself.
        member.note(Sign.UNHEARD)
        raise
    if message.retained and status.boot in member.earlier_boots:
        return  # a broker that went back in time; if it is there, the announcement wakes it
    was_present = member.is_present
    if status.boot not in ("", member.boot) and not run.joins.take(member.name, now):
        member.note(Sign.UNHEARD)  # nor is anything else read that it says until then
        # Whose answers come next is not known any more: nothing is claimed that rests on them.
        run.note(
            f"agent {member.name} is served by ever new processes, not all of which were heard"
        )
        raise PeerProtocolError(
            f"agent {member.name} is served by ever new processes, of which one a minute may join: "
            "two of them may push each other off the broker, or one fails as soon as it starts"
        )
    if status.opening == run.learner.opening:
        if _is_foreign(run, member, status, now):
            return  # what it answers is not what we asked
        _check_codes(run, member, status)
    if run.roster.told(member, status, now):
        run.outbox.tell(member)
    elif status.presence is Presence.ONLINE and now >= run.retained.announced_at + run.roster.retry:
        run.retained.announce(member)  # it has not heard of this run
    if status.refused and status.opening == run.learner.opening:
        run.note(REFUSED)  # also of an agent that failed: what is lost with it depends on rewards
    if member.is_present:
        _heard_process(run, member, status)
        if status.clipped:
            run.note(CLIPPED)
    if member.is_done and status.opening == run.learner.opening:
        _heard_counts(run, member, status)
    _log_status(run, member, status, was_present=was_present)
    member.reason = status.reason


def _status_of(member: Member, payload: bytes) -> Status:
    most = _STATUS_BYTES + _STATUS_BYTES_AN_ARM * len(member.arms)
    if len(payload) > most:  # before it is read: that would take the others' time
        raise PeerProtocolError(
            f"a status of agent {member.name} has at most {most:,} bytes, got {len(payload):,}"
        )
    return load_status(payload)


def _is_foreign(run: OngoingRun, member: Member, status: Status, now: float) -> bool:
    """Whether an agent heard of an epoch after ours, or of questions that are not ours."""
    arms = [run.learner.arms[arm] for arm in member.arms]
    is_in_race = any(arm.phase is not ArmPhase.OUT for arm in arms)
    try:
        is_foreign = run.bids.note(
            member, status, epoch=run.learner.epoch, is_in_race=is_in_race, now=now
        )
    except PeerProtocolError:
        member.note(Sign.UNHEARD)
        raise
    if is_foreign:
        member.note(Sign.UNHEARD)
        run.retained.say_status()
    return is_foreign


def _check_codes(run: OngoingRun, member: Member, status: Status) -> None:
    """Refuse an agent that cannot answer what the quantizer asks."""
    missing = set(run.learner.spec.quantizer.codes) - set(status.codes)
    if missing:
        member.note(Sign.UNHEARD)
        raise PeerProtocolError(
            f"agent {member.name} cannot answer in the code {', '.join(sorted(missing))}: "
            "bring it to this version of bitarm, or choose another quantizer"
        )


def _heard_process(run: OngoingRun, member: Member, status: Status) -> None:
    """A process that we did not hear from before may remember less than its predecessor."""
    counted = {arm: run.learner.arms[arm].sure for arm in member.arms}
    new = newcomer(member, status, counted)
    if new is None or not run.is_running:
        return
    run.take(run.learner.join(new.joined))
    if new.is_twin:
        run.note(f"agent {member.name} is served by two processes at once, whose rewards are mixed")
    if new.forgot:
        run.log.warning("agent %s lost its memory of live rewards", member.name, peer=member.name)
        run.take(run.learner.renew(new.forgot))


def _heard_counts(run: OngoingRun, member: Member, status: Status) -> None:
    """An agent that is done tells after how many pulls its arms stopped by themselves.

    Of those that gave up alone, no more than they were asked for, and no fewer than they answered
    for: of others the learner knows, and an agent that lost its file does not. What an arm told
    first stands: said again, or otherwise, it is not written down again.
    """
    told = {
        arm: status.made[arm]
        for arm in member.arms
        if arm in status.made
        and arm not in run.counted
        and run.learner.arms[arm].beaten_by is not None
        and max(run.learner.arms[arm].sure, 1) <= status.made[arm] <= run.learner.arms[arm].pulls
    }
    if told:
        run.counted.update(told)
        counted = PullsCounted(arms=tuple(told), pulls=tuple(told.values()))
        run.transactions.add([counted])


def _log_status(run: OngoingRun, member: Member, status: Status, *, was_present: bool) -> None:
    if status.presence is Presence.FAILED:
        run.log.warning("agent %s failed: %s", member.name, status.reason, peer=member.name)
    elif member.is_present != was_present:
        where = "done" if member.is_done else "here" if member.is_present else "away"
        run.log.info("agent %s is %s", member.name, where, peer=member.name)
    if member.is_present and status.reason not in ("", member.reason):
        run.log.warning("agent %s refuses: %s", member.name, status.reason, peer=member.name)


def _heard_reports(run: OngoingRun, member: Member, message: Received, now: float) -> None:
    """A frame of answers, each for the machine to judge: one that is refused stops no other."""
    if not member.is_present:
        return  # of another run, or before we know that it is of ours: it will be asked again
    frame = message.payload
    answers = _answers_in(run, member, frame)
    run.meter.went_up(message.topic, frame, answers)
    if run.ledger is not None:
        run.ledger.went_up(member.name, len(frame))
    run.roster.spoke(member, now)
    for answer in answers:
        try:
            output = run.learner.receive(answer)
        except PeerProtocolError as error:
            run.refusals.note(message.topic, str(error))
            continue
        if run.learner.arms[answer.arm].phase is not ArmPhase.AWAITED:
            run.outbox.answered(answer.arm)
        for event in output.events:
            if isinstance(event, CaveatNoted):
                run.refusals.note(message.topic, event.text)
        run.take(output)


def _answers_in(run: OngoingRun, member: Member, frame: bytes) -> list[Report | Position]:
    """What a frame of an agent says of its own arms, if the link carries such a frame at all."""
    messages = wire.decode(frame)
    if len(frame) > run.link.up.max_bytes:
        raise PeerProtocolError(
            f"the link {run.link.name} carries {run.link.up.max_bytes} bytes up, "
            f"agent {member.name} sent {len(frame)}"
        )
    answers = [message for message in messages if isinstance(message, Report | Position)]
    are_its_own = {answer.arm for answer in answers} <= set(member.arms)
    if len(answers) < len(messages) or not are_its_own:
        raise PeerProtocolError(f"agent {member.name} may report for its own arms only")
    return answers


_OF_LEARNERS: dict[Subject, Callable[[OngoingRun, Received], object]] = {
    Subject.STATUS: _heard_learner,
    Subject.END: _heard_end,
    Subject.REQUEST: _heard_probe,
}
"""What is heard on the learner's own topics."""

_OF_AGENTS: dict[Subject, Callable[[OngoingRun, Member, Received, float], None]] = {
    Subject.STATUS: _heard_status,
    Subject.REPORT: _heard_reports,
}
"""What is heard on the topics of each agent."""
