"""What a guarantee takes for granted: one clause for each assumption that a run's proof needs.

`docs/widths.md` has the proofs, and says which of them needs which clause.
"""

from bitarm.core.confidence import Stride
from bitarm.core.schedule import RecordedSchedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec


def assumptions_of(
    setup: Setup,
    *,
    rewards_lost: bool = False,
    files_read: bool = False,
    silent: bool = False,
    journal: str = "",
    forgotten: str = "",
) -> tuple[str, ...]:
    """The clauses, each of which may follow an "if".

    `rewards_lost` says that agents lost rewards that they had not told of, `files_read` that the
    age of a file matters from which an agent went on, `silent` that an agent does not say what it
    remembers; `journal` is a clause on the journal that the run was resumed from, if its age
    matters; `forgotten` says what became of rewards that had been told, if some were lost too.
    """
    spec = setup.spec
    clauses = [_independence(spec), "every arm's mean stays the same", _tails(spec)]
    if _ends_matter(setup):
        clauses.append("how many rewards of an arm were recorded does not depend on them")
    if rewards_lost:
        clauses.append("what agents lost in crashes does not depend on the rewards")
    if files_read:
        clauses.append("the file that an agent went on from was its newest")
    if silent:
        clauses.append(_of_silent(spec))
    if journal:
        clauses.append(journal)
    if forgotten:
        clauses.append(f"what agents forgot does not depend on the rewards ({forgotten})")
    return tuple(clauses)


def meaning_of(epsilon: float) -> str:
    """What is wrong with a tolerance ε: beside the assumptions, since the claim is read with it."""
    return f"wrong means more than {spelled(epsilon)} below the best"


def spelled(number: float) -> str:
    """A number that a claim rests on: short where that is the same number, else in full."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number).removesuffix(".0")


def _independence(spec: RunSpec) -> str:
    """Intervals speak of each arm alone, so arms may share their noise; a difference may not."""
    if spec.sampling.of_pairs:
        return (
            "rewards are independent over time and between arms, and do not depend on what is "
            "asked for"
        )
    return "every arm's rewards are independent over time, and do not depend on what is asked for"


def _ends_matter(setup: Setup) -> bool:
    """Whether it matters where recorded rewards end, which is known before the first is read.

    Not to intervals, nor to a bound on pairs with equally many pulls that holds at any time. Where
    arms move apart, an end says something of later rewards, and chooses who is pulled next; a union
    over the checkpoints of a grid is one of a grid that does not depend on the rewards.
    """
    if not isinstance(setup.spec.schedule, RecordedSchedule):
        return False
    width, apart = setup.spec.sampling, setup.policy.stride in (Stride.APART, Stride.JUDGED)
    return width.of_pairs and (apart or not width.along_path or not width.certain)


def _of_silent(spec: RunSpec) -> str:
    """What others say in their status, and what voids or lowers a claim if they do."""
    text = "agents that do not say what they remember refused and clipped no rewards"
    return text + (", and forgot none that they had told of" if spec.sampling.along_path else "")


def _tails(spec: RunSpec) -> str:
    tails = f"{spelled(spec.sigma)}-sub-Gaussian"
    if spec.bounds is None:
        return f"rewards are {tails}"
    a, b = spec.bounds
    within = f"[{spelled(a)}, {spelled(b)}]"
    if not spec.sampling.needs_sigma:
        return f"rewards lie in {within}"
    link = "and so are" if spec.sigma >= (b - a) / 2 else "and are"  # Hoeffding's lemma
    return f"rewards lie in {within} {link} {tails}"
