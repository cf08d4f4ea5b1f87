"""Numbers at the ends of what a frame can tell: agents answer or refuse, and nonsense beats nobody.

Whoever speaks in the learner's name may tell any edge, spread, hurdle, step and scale.
"""

import math
import random
from collections import Counter

import numpy as np
from core.evidence.accounts import kept

from bitarm.core.agent import Agent
from bitarm.core.codes import Above, Nearest
from bitarm.core.evidence.account import Account, Scale
from bitarm.core.evidence.ladder import FOLLOWING, RUNGS
from bitarm.core.evidence.spread import LEAST_SPREAD, MOST_SPREAD
from bitarm.core.evidence.tasks import BAND, NO_HURDLE, Challenge, Edge, Pilot, hurdle
from bitarm.core.evidence.verdict import is_beaten
from bitarm.core.messages import Request
from bitarm.core.question import BEATEN, Question
from bitarm.core.schedule import MAX_PULLS
from bitarm.errors import LocalProtocolError, PeerProtocolError, RewardError

_UNIT = Scale(bounded=True, low=0.0, unit=1.0)
_EXPONENTS = (-1074, -1022, -500, -60, -20, -3, 0, 1, 3, 20, 60, 500, 1000)
_RUNGS = (0, 1, 30, RUNGS - BAND - 1, RUNGS - BAND)
_HURDLES = (0, 1, 127, 128, NO_HURDLE - 1, NO_HURDLE)


def _number(draw: random.Random) -> float:
    return math.ldexp(draw.choice((0, 1, -1, 3, -7, 255, 2**20)), draw.choice(_EXPONENTS))


def _question(draw: random.Random) -> Question:
    """LocalProtocolError for numbers that no frame is read with."""
    scale = _UNIT
    if draw.random() < 0.5:
        bounded = draw.random() < 0.5
        low = _number(draw) if bounded else 0.0
        scale = Scale(bounded=bounded, low=low, unit=abs(_number(draw)))
    until, step = draw.choice((1, 2, 3, 64, 65, 150)), abs(_number(draw))
    first = draw.choice(_RUNGS)
    if draw.random() < 0.5:
        edge = _number(draw)
        one, two, three = draw.choices(_HURDLES, k=3)
        task = Challenge(edge=edge, first=first, hurdles=(one, two, three))
        above = Above(low=edge - draw.randrange(16) * step, step=step)
        return Question(until=until, code=above, scale=scale, task=task)
    nearest = Nearest(centre=_number(draw), step=step, divisor=draw.choice((1, 1000)), escape=20)
    spread = draw.choice((LEAST_SPREAD, 0, MOST_SPREAD))
    other = draw.choice((Pilot(), Edge(first=first, spread=spread)))
    return Question(until=until, code=nearest, scale=scale, task=other)


def _served(question: Question, rewards: list[float]) -> str:
    """What becomes of a question: answered, beaten or refused; anything else is an error."""
    agent = Agent(1, 0)
    answers = agent.receive(Request(run=257, arm=0, message=1, question=question))
    for _ in range(10 * question.until):
        if answers:
            break
        pulled = [rewards[place % len(rewards)] for place in range(agent.wanted)]
        try:
            if agent.is_looking:
                answers = agent.look()
            else:
                answers = agent.observe(len(pulled), sum(pulled), pulled)
        except RewardError:
            return "refused"
    symbol = agent.state.symbol
    assert symbol is not None  # it came to an end
    question.read(symbol)
    return "beaten" if symbol == BEATEN else "answered"


def test_whatever_is_told_agents_answer_or_refuse_and_come_to_an_end() -> None:
    draw, found = random.Random(3), Counter[str]()
    for _ in range(2000):
        try:
            question = _question(draw)
        except LocalProtocolError:
            continue
        scale = question.scale
        assert scale is not None
        shares = draw.choice(((0.0,), (1.0,), (0.0, 1.0), (0.25, 0.5, 0.75)))
        try:
            found[_served(question, [scale.low + share * scale.unit for share in shares])] += 1
        except PeerProtocolError:
            found["refused"] += 1
    assert min(found[kind] for kind in ("answered", "beaten", "refused")) > 50


def _is_enough(task: Challenge, pulls: int, account: Account) -> bool:
    """Whether the pair's evidence is 1 or more for every mean of a grid, in longer floats."""
    scale = account.scale
    edge = np.longdouble(scale.inward(task.edge))
    if scale.bounded:
        means = np.linspace(0, 1, 401, dtype=np.longdouble)
    else:
        means = np.concatenate([edge * np.linspace(-1, 2, 301), np.linspace(-9, 9, 301)])
    total = np.zeros(means.shape, np.longdouble)
    with np.errstate(over="ignore"):
        for place, byte in enumerate(task.hurdles):
            winner = task.first + place
            gain = np.longdouble(scale.rates[winner]) * pulls
            for climb, share in enumerate(FOLLOWING):
                loser = max(winner - climb, 0)
                loss = np.longdouble(scale.rates[loser]) * account.pulls
                value = gain * (edge - means) - hurdle(byte) + account.below(loser) + loss * means
                total += share * np.exp(value)
    return bool((total >= 1 - 1e-9).all())


def test_nobody_gives_up_at_the_extremes_unless_the_evidence_says_so() -> None:
    found = Counter[bool]()
    sigma = Scale(bounded=False, low=0.0, unit=1.0)
    accounts = [kept(row) for row in ([0.0], [1.0], [0.5] * 9, [0.0] * 90, [1.0, 0.0] * 40)]
    accounts += [Account(sigma, n, mean, None) for n, mean in ((1, 0.0), (9, -50.0), (90, 50.0))]
    draw = random.Random(5)
    for _ in range(2000):
        account = draw.choice(accounts)
        one, two, three = draw.choices(_HURDLES, k=3)
        edge = draw.choice((0.0, 1.0, 0.5, -1.0, 2.0, 5e-324, 1e308, -1e308, 1e15))
        task = Challenge(edge=edge, first=draw.choice(_RUNGS), hurdles=(one, two, three))
        pulls = draw.choice((account.pulls, account.pulls + 1, 1000, MAX_PULLS))
        gives_up = is_beaten(task, pulls, account)
        found[gives_up] += 1
        assert not gives_up or _is_enough(task, pulls, account), (task, pulls, account)
    assert min(found[True], found[False]) > 150


def test_what_no_float_holds_beats_nobody() -> None:
    task = Challenge(edge=1e308, first=0, hurdles=(0, 0, 0))
    assert not is_beaten(task, MAX_PULLS, kept([0.0] * 50))
