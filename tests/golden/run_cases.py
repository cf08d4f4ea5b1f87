"""Which whole runs are recorded: worlds, schemes and schedules, dealt out to each other."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

Words = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The arms of a run, as a command line spells them, and what must be said of them."""

    name: str
    arms: str
    parameters: Words
    words: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A setting that was recorded, once for every seed."""

    name: str
    quantizer: str  # its file
    arms: str
    parameters: Words  # of the models
    words: Words  # of the call
    clip: bool = False


_UNIT: Words = {"bounds": (0.0, 1.0)}

# Gaps are wide, so that runs are short; the best arm stands at different places in the list.
BOUNDED = (
    World(name="coins-2", arms="bernoulli:0.9,0.2", parameters={}, words=_UNIT),
    World(name="coins-4", arms="bernoulli:0.1,0.35,0.95,0.5", parameters={}, words=_UNIT),
    World(
        name="beta-5",
        arms="beta:0.85,0.5,0.4,0.15,0.3",
        parameters={"concentration": 2.0},
        words={"bounds": (0.0, 1.0), "sigma": 0.29},
    ),
    World(
        name="beta-3-wide",  # in bounds that leave room on both sides
        arms="beta:0.2,0.3,0.8",
        parameters={"concentration": 8.0},
        words={"bounds": (-1.0, 2.5), "sigma": 0.17},
    ),
    World(
        name="coins-7", arms="bernoulli:0.2,0.1,0.3,0.0,0.25,0.9,0.15", parameters={}, words=_UNIT
    ),
    World(
        name="beta-8",
        arms="beta:0.5,0.25,0.1,0.9,0.45,0.3,0.2,0.35",
        parameters={"concentration": 1.0},
        words={"bounds": (0.0, 1.0), "sigma": 0.36, "delta": 0.2},
    ),
    World(
        name="coins-6",
        arms="bernoulli:0.95,0.5,0.4,0.3,0.2,0.05",
        parameters={},
        words={"bounds": (0.0, 1.0), "delta": 0.001},
    ),
)
UNBOUNDED = (
    World(name="gauss-2", arms="gaussian:-1,1", parameters={"sd": 1.5}, words={"sigma": 1.5}),
    World(
        name="gauss-4",
        arms="gaussian:0.2,0.9,0.1,0.4",
        parameters={"sd": 0.25},
        words={"sigma": 0.25},
    ),
    World(
        name="gauss-3-far",  # from where both ends begin
        arms="gaussian:-1001.5,-1000,-1003",
        parameters={"sd": 1.0},
        words={"sigma": 1.0, "delta": 0.2},
    ),
    World(
        name="gauss-8",
        arms="gaussian:2,3,1,5,0,2.5,-4,1.5",
        parameters={"sd": 1.0},
        words={"sigma": 1.0},
    ),
    World(
        name="coins-5",  # bounded, which nobody said
        arms="bernoulli:0.3,0.2,0.9,0.1,0.4",
        parameters={},
        words={"sigma": 0.5, "delta": 0.01},
    ),
    World(
        name="gauss-6",
        arms="gaussian:7,5,5.5,4,6,5.2",
        parameters={"sd": 0.6},
        words={"sigma": 0.6},
    ),
    World(
        name="beta-3",
        arms="beta:0.25,0.9,0.5",
        parameters={"concentration": 3.0},
        words={"sigma": 0.25},
    ),
)

# Every quantizer with its parameters. Where rewards may lie: b for bounded, u for unbounded.
QUANTIZERS: tuple[tuple[str, str, Words], ...] = (
    ("exact", "bu", {"quantizer": "exact"}),
    *(
        (f"icq-{prior}-{bits}", places, {"quantizer": "icq", "prior": prior, "bits": bits})
        for prior, places in (("uniform", "b"), ("midpoint", "b"), ("lower", "b"), ("quban", "bu"))
        for bits in (1, 3)
    ),
    ("quban-0.5", "bu", {"quantizer": "quban", "epsilon_quban": 0.5}),
    ("quban-2", "bu", {"quantizer": "quban", "epsilon_quban": 2.0}),
    ("fed-sel", "b", {"quantizer": "fed-sel"}),
    ("fed-sel-paper", "b", {"quantizer": "fed-sel-paper"}),
    ("dicq", "bu", {"quantizer": "dicq"}),
    (
        "dicq-fine",
        "bu",
        {"quantizer": "dicq", "kappa": 0.5, "kappa_first": 1.0, "kappa_cut": 0.75},
    ),
    (
        "dicq-coarse",
        "bu",
        {"quantizer": "dicq", "kappa": 3.0, "kappa_first": 10.0, "kappa_cut": 6.0},
    ),
)

_ANY_WIDTH = ("paper", "lil", "pairwise", "pairwise-mixture")
_APART = ("paper", "lil", "pairwise")  # the mixture compares arms with equally many pulls

POLICIES: tuple[tuple[str, tuple[str, ...], Words], ...] = (
    ("se", _ANY_WIDTH, {"policy": "se"}),
    ("quiet", _ANY_WIDTH, {"policy": "quiet"}),
    ("quiet-no-pilot", _ANY_WIDTH, {"policy": "quiet", "pilot": False}),
    ("quiet-level", _ANY_WIDTH, {"policy": "quiet", "leader_first": False}),
    ("quiet-plain", _ANY_WIDTH, {"policy": "quiet", "leader_first": False, "pilot": False}),
    ("lucb", _APART, {"policy": "lucb"}),
    ("lil-ucb", _APART, {"policy": "lil-ucb"}),
    ("lil-ucb-count", _APART, {"policy": "lil-ucb-count"}),
)

# A list of checkpoints ends: runs that need more than this one has get no answer.
LISTED: Words = {"checkpoints": (3, 4, 9, 20, 33, 70, 150, 400)}
SCHEDULES: tuple[tuple[str, Words], ...] = (
    ("own", {}),
    ("2", {"growth": 2.0}),
    ("1.3", {"growth": 1.3, "first": 4}),
    ("3", {"growth": 3.0}),
    ("listed", LISTED),
)

TOLERANT: tuple[Words, ...] = (
    {"policy": "se"},
    {"policy": "quiet"},
    {"policy": "quiet", "pilot": False, "cap": 3.0, "patience": 0.8},
    {"policy": "lucb"},
    {"policy": "lil-ucb"},
)

# Most are met in the middle of a run.
LIMITED: tuple[Words, ...] = (
    {"policy": "se", "max_rounds": 1},
    {"policy": "quiet", "max_rounds": 4},
    {"policy": "lucb", "max_rounds": 9},
    {"policy": "se", "max_samples": 150},
    {"policy": "quiet", "max_samples": 70},
    {"policy": "lil-ucb", "max_samples": 150},
    {"policy": "se", "max_bits": 60},
    {"policy": "quiet", "max_bits": 25},
    {"policy": "lucb", "max_bits": 45},
    {"policy": "quiet", "max_rounds": 30, "max_samples": 3000, "max_bits": 3000},
)

PULL_BUDGETS = (60, 403, 1500)
BIT_BUDGETS = {"exact": (2560,), "icq": (35, 61, 200), "dicq": (35, 61, 200)}
"""Only messages whose length can be set keep to one."""


def cases() -> Iterator[Case]:
    """Every recorded setting. The order counts: worlds and schedules are dealt out in turn."""
    turn = count()
    for name, places, words in QUANTIZERS:
        for place in places:
            dealt = _Deal(name, words, BOUNDED if place == "b" else UNBOUNDED, turn)
            yield from _crossed(dealt)
            yield from _tolerant(dealt)
            yield from _limited(dealt)
            yield from _budgeted(dealt)
    yield from ODD


@dataclass(frozen=True, slots=True)
class _Deal:
    """Makes cases of one quantizer, each with the world and the schedule whose turn it is."""

    name: str
    quantizer: Words
    worlds: tuple[World, ...]
    turn: Iterator[int]

    def case(self, what: str, words: Words) -> Case:
        """A case with these words, besides those that it is dealt."""
        turn = next(self.turn)
        world = self.worlds[turn % len(self.worlds)]
        label, schedule = SCHEDULES[turn % len(SCHEDULES)]
        return Case(
            name=f"{self.name}, {what}, {world.name}, grid {label}",
            quantizer=str(self.quantizer["quantizer"]),
            arms=world.arms,
            parameters=world.parameters,
            words={**world.words, **self.quantizer, **schedule, **words},
        )

    def budget_case(self, what: str, words: Words) -> Case:
        """One that ends when its pulls are spent, without the words that say nothing then."""
        world = self.worlds[next(self.turn) % len(self.worlds)]
        given = {**world.words, **self.quantizer, **words}
        refused = {"delta", "kappa_cut"}
        file = given["quantizer"]
        if "bit_budget" in given:
            refused |= {"bits", "kappa"} | ({"kappa_first"} if "bounds" in given else set())
            file = "dicq-budget" if file == "dicq" else file
        return Case(
            name=f"{self.name}, {what}, {world.name}",
            quantizer=str(file),
            arms=world.arms,
            parameters=world.parameters,
            words={word: value for word, value in given.items() if word not in refused},
        )


def _crossed(dealt: _Deal) -> Iterator[Case]:
    """Every policy with every width that it may have."""
    for name, widths, words in POLICIES:
        for width in widths:
            yield dealt.case(f"{name} {width}", {**words, "width": width})


def _tolerant(dealt: _Deal) -> Iterator[Case]:
    epsilon = 0.3 if dealt.worlds is BOUNDED else 0.6
    for number, words in enumerate(TOLERANT):
        yield dealt.case(f"{words['policy']} tolerant {number}", {**words, "epsilon": epsilon})


def _limited(dealt: _Deal) -> Iterator[Case]:
    for words in LIMITED:
        yield dealt.case(" ".join(str(it) for pair in words.items() for it in pair), words)


def _budgeted(dealt: _Deal) -> Iterator[Case]:
    """Budgets of pulls, with and without one of bits, and with intervals of another size."""
    kind = dealt.quantizer["quantizer"]
    for policy in ("sequential-halving", "successive-rejects"):
        for number, pulls in enumerate(PULL_BUDGETS):
            words = {"policy": policy, "pull_budget": pulls}
            yield dealt.budget_case(f"{policy} {pulls}", words)
            if kind not in ("exact", "dicq"):  # their messages have no interval to size
                sized = {**words, "interval_delta": 0.3, "width": _ANY_WIDTH[number]}
                yield dealt.budget_case(f"{policy} {pulls} {_ANY_WIDTH[number]}", sized)
        for bits in () if dealt.quantizer.get("prior") == "quban" else BIT_BUDGETS.get(kind, ()):
            words = {"policy": policy, "pull_budget": 700, "bit_budget": bits}
            yield dealt.budget_case(f"{policy} in {bits} bits", words)


# What the cases above do not have: each breaks an assumption, or is at an edge.
ODD = (
    Case(
        name="defaults alone",
        quantizer="dicq",
        arms="gaussian:0,1,0.5",
        parameters={"sd": 0.5},
        words={"sigma": 0.5},
    ),
    Case(
        name="clipped rewards, dicq",
        quantizer="dicq",
        arms="gaussian:0.1,0.5,0.9",
        parameters={"sd": 0.3},
        words={"bounds": (0.0, 1.0)},
        clip=True,
    ),
    Case(
        name="clipped rewards, icq",
        quantizer="icq",
        arms="gaussian:0.1,0.5,0.9",
        parameters={"sd": 0.3},
        words={"quantizer": "icq", "bounds": (0.0, 1.0)},
        clip=True,
    ),
    *(
        Case(
            name=f"a sigma that is too small, {quantizer} {policy}",
            quantizer=quantizer,
            arms="gaussian:0,3,1,-2",
            parameters={"sd": 2.0},
            words={"quantizer": quantizer, "policy": policy, "sigma": 0.2, "max_rounds": 40},
        )
        for quantizer, policy in (
            ("icq", "se"),
            ("icq", "lucb"),
            ("quban", "se"),
            ("dicq", "quiet"),
            ("dicq", "lil-ucb"),
        )
    ),
    *(
        Case(
            name=f"{arms.split(':')[0]} rewards, {quantizer}",
            quantizer=quantizer,
            arms=arms,
            parameters={},
            words={"quantizer": quantizer, "sigma": 1.5},
        )
        for quantizer in ("dicq", "icq", "quban", "exact")
        for arms in ("poisson:1,4,2", "exponential:0.5,3,1,1.5")
    ),
    *(
        Case(
            name=f"equal arms, {quantizer} {policy}",
            quantizer=quantizer,
            arms="gaussian:1,1,1",
            parameters={"sd": 1.0},
            words={"quantizer": quantizer, "policy": policy, "sigma": 1.0, "max_samples": 6000},
        )
        for quantizer in ("dicq", "icq", "quban")
        for policy in ("quiet", "se", "lucb")
    ),
    *(
        Case(
            name=f"single pulls, {quantizer}",
            quantizer=quantizer,
            arms="gaussian:0,4",
            parameters={"sd": 1.0},
            words={
                "quantizer": quantizer,
                "policy": "lil-ucb-count",
                "width": "lil",
                "sigma": 1.0,
                "checkpoints": tuple(range(1, 300)),
                "max_rounds": 150,
            },
        )
        for quantizer in ("exact", "dicq", "icq")
    ),
)
