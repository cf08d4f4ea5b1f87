"""The result of a run, under the names that JSON, CSV, Python and the page share."""

from dataclasses import asdict, dataclass, fields
from typing import Any, final

from bitarm.core.events import TrafficMeasured
from bitarm.core.outcome import Outcome
from bitarm.core.outlook import CostToDecide, outlook_of
from bitarm.core.plain import to_plain
from bitarm.core.standings import ArmStanding, Standings
from bitarm.errors import LocalProtocolError

RAW_REWARD_BYTES = 8
"""What one raw reward would cost on the wire: a float64."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class WireBytes:
    """Frames as sent, the two directions apart."""

    up: int
    down: int


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ArmResult:
    """What became of one arm."""

    name: str
    mean: float | None
    radius: float | None
    beaten_by: int | None  # it gave up: this arm is better; mean and radius are those told before
    pulls: int
    pulls_at_most: bool  # it stopped by itself, and did not tell after how many
    messages: int
    payload_bits: int
    dropped_in: int | None
    dropped_for: int | None
    lost_in: int | None
    agent: str | None
    wire_bytes: WireBytes | None  # its share of the frames, where they were counted


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """An answer, or the reason why there is none; its guarantee; its price; its settings.

    `best_arm` and its name are there only with the outcomes `decided` and `budget_spent`.
    `guarantee` is the δ that holds: the answer is wrong with at most this probability. It is None
    where nothing is proven, and `guarantee_reason` says why. It holds under all of the
    `assumptions`, which the reason joins to one sentence. Without an answer there is a `leader`,
    which is a guess, and the `excluded` arms, which are a claim. Bits and bytes are those of all
    arms. In Python `identify` adds the history, tables and a picture (`api/identification.py`).
    docs/reference/json.md tells every field, and those of `arms`.
    """

    best_arm: int | None  # 0-based
    best_arm_name: str | None
    outcome: Outcome
    guarantee: float | None
    guarantee_reason: str
    assumptions: tuple[str, ...]  # clauses in English; empty without a guarantee
    contenders: tuple[str, ...]  # arms still in the race at the end
    leader: int | None  # without an answer: the contender of the highest mean, a guess; else None
    leader_name: str | None
    runner_up_name: str | None  # the contender next to it
    lead: float | None  # of the leader's mean over that one's
    excluded: tuple[str, ...]  # arms that fell: a best one is left, wrong with probability at most
    excluded_guarantee: float | None  # this; None where nothing is proven
    excluded_reason: str  # under which conditions, or why not
    to_decide: CostToDecide | None  # without an answer: an estimate of what one would still cost
    rounds: int
    samples: int
    samples_at_most: bool  # an arm that stopped by itself did not tell its pulls
    payload_bits: int
    payload_bytes: int | None  # None where nobody measured the channel
    wire_bytes: WireBytes | None
    mqtt_bytes: WireBytes | None  # with MQTT's packets around the frames
    tcp_ip_bytes_estimated: WireBytes | None  # and with headers of TCP/IP around those
    raw_bytes: int  # what every reward as a float64 would have cost
    delta: float | None  # None under a fixed budget
    sigma: float
    bounds: tuple[float, float] | None
    epsilon: float | None
    quantizer: str
    bits: int | None
    policy: str
    width: str | None
    interval_delta: float | None
    pull_budget: int | None
    bit_budget: int | None
    growth: float | None
    words: dict[str, Any]  # every word of the setting, those above included
    seed: int
    fingerprint: str
    restarts: int  # of agents, while the run went on
    discarded_batches: int  # of live rewards, cut short by a crash
    forgotten: int  # times that live rewards were lost with an agent's memory, over all arms
    restored: bool  # from an older journal: payload_bits and rounds are at least what is told
    arms: tuple[ArmResult, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain types, ready for `json.dumps`; every word stands under its own name."""
        plain = {field.name: to_plain(getattr(self, field.name)) for field in fields(RunResult)}
        return {**plain.pop("words"), **plain}


def result_of(standings: Standings) -> RunResult:
    """The result of a run that has ended; LocalProtocolError if it has not."""
    ending = standings.ending
    if ending is None:
        raise LocalProtocolError("the run has not ended: it has no result yet")
    setup, traffic = standings.opened.setup, standings.traffic
    spec = setup.spec
    best = ending.best_arm
    outlook = outlook_of(standings)
    exclusion = outlook.exclusion
    leader, runner_up = (None, None) if best is not None else (outlook.leader, outlook.runner_up)
    words = setup.words
    return RunResult(
        best_arm=best,
        best_arm_name=None if best is None else spec.arms[best],
        outcome=ending.outcome,
        guarantee=ending.guarantee,
        guarantee_reason=ending.guarantee_reason,
        assumptions=ending.assumptions,
        contenders=tuple(arm.name for arm in standings.arms if arm.active),
        leader=leader,
        leader_name=None if leader is None else spec.arms[leader],
        runner_up_name=None if runner_up is None else spec.arms[runner_up],
        lead=None if leader is None else outlook.lead,
        excluded=tuple(spec.arms[arm] for arm in outlook.excluded),
        excluded_guarantee=exclusion.delta if outlook.excluded else None,
        excluded_reason=exclusion.reason if outlook.excluded else "no arm has fallen",
        to_decide=None if best is not None else outlook.to_decide,
        rounds=ending.rounds,
        samples=ending.samples - standings.spared,
        samples_at_most=standings.samples_at_most,
        payload_bits=ending.payload_bits,
        payload_bytes=traffic.payload_bytes if traffic else None,
        wire_bytes=_both(traffic.wire_bytes_up, traffic.wire_bytes_down) if traffic else None,
        mqtt_bytes=_both(traffic.mqtt_bytes_up, traffic.mqtt_bytes_down) if traffic else None,
        tcp_ip_bytes_estimated=(
            _both(traffic.tcp_ip_bytes_up, traffic.tcp_ip_bytes_down) if traffic else None
        ),
        raw_bytes=(ending.samples - standings.spared) * RAW_REWARD_BYTES,
        sigma=spec.sigma,
        bounds=spec.bounds,
        epsilon=words.get("epsilon"),
        quantizer=spec.quantizer.name,
        bits=words.get("bits"),
        policy=setup.policy.name,
        **asdict(setup.terms),
        growth=words.get("growth"),
        words=words,
        seed=spec.seed,
        fingerprint=f"{setup.fingerprint:08x}",
        restarts=sum(processes[-1].restarts for processes in standings.joined.values()),
        discarded_batches=sum(processes[-1].discarded for processes in standings.joined.values()),
        forgotten=sum(arm.lives - 1 for arm in standings.arms),
        restored=standings.restored,
        arms=tuple(_arm_result(arm, number, traffic) for number, arm in enumerate(standings.arms)),
    )


def _both(up: int | None, down: int | None) -> WireBytes | None:
    return None if up is None or down is None else WireBytes(up=up, down=down)


def _arm_result(arm: ArmStanding, number: int, traffic: TrafficMeasured | None) -> ArmResult:
    facts = {
        field.name: getattr(arm, field.name)
        for field in fields(ArmResult)
        if field.name != "wire_bytes"
    }
    counted = traffic is not None and traffic.arms_up and traffic.arms_down
    return ArmResult(
        **facts,
        wire_bytes=(
            WireBytes(up=traffic.arms_up[number], down=traffic.arms_down[number])
            if traffic is not None and counted
            else None
        ),
    )
