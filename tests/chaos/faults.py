"""What may go wrong in one process and on its wire: each fault is one function of a world.

A fault returns whether it could happen then. Those in `HARMLESS` must leave no trace in what a run
says; those in `LOSSES` take memory away, and may cost a claim.
"""

from collections.abc import Callable

from chaos.world import FROZEN, ChaosWorld
from wires.runs import RUN

from bitarm.wire.topics import LEARNER, Topics

Fault = Callable[[ChaosWorld], bool]
FOLLOWED = "learner paused, and followed"
EMPTIED = "broker restarted without its memory"
REMEDIES = frozenset({"line mended", "agents thawed", "disk filled"})
"""Not counted as faults: the first two mend, and of a full disk each write that fails counts."""


def _someone(world: ChaosWorld) -> str | None:
    """A process that runs, and is not paused."""
    names = [
        name
        for name, node in world.nodes.items()
        if node.service is not None and not node.service.finished and not node.frozen
    ]
    return world.rng.choice(names) if names else None


def _an_agent(world: ChaosWorld) -> str | None:
    names = [
        name
        for name, node in world.nodes.items()
        if name in world.files
        and node.service is not None
        and not node.service.finished
        and not node.frozen
    ]
    return world.rng.choice(names) if names else None


def kill(world: ChaosWorld) -> bool:
    """SIGKILL, and a start some time later."""
    name = _someone(world)
    if name is None:
        return False
    world.kill(name, away=world.rng.choice([0.0, 1.0, 30.0]))
    return True


def cut(world: ChaosWorld) -> bool:
    """The line breaks; it is there again at once, or after a while."""
    name = _someone(world)
    if name is None or not world.nodes[name].connected:
        return False
    world.cut(name)
    if world.rng.random() < 0.5:
        world.connect(name)
    return True


def mend(world: ChaosWorld) -> bool:
    """Lines that were cut are there again."""
    torn = [
        name
        for name, node in world.nodes.items()
        if node.service is not None and not node.connected and not node.service.finished
    ]
    for name in torn:
        world.connect(name)
    return bool(torn)


def restart_broker(world: ChaosWorld) -> bool:
    """The broker comes back with its memory."""
    world.restart_broker()
    return True


def empty_broker(world: ChaosWorld) -> bool:
    """The broker comes back without its memory."""
    world.restart_broker(kept={})
    return True


def pause_and_follow(world: ChaosWorld) -> bool:
    """SIGSTOP for the learner; another one resumes the run from a copy of the journal."""
    node = world.nodes[LEARNER]
    if FROZEN in world.nodes or node.service is None or node.service.finished:
        return False
    if not world.kept.transactions:
        return False
    world.freeze_learner(FROZEN)
    world.ahead[FROZEN] = world.ahead[LEARNER]
    world.journal = world.kept.prefix(len(world.kept.transactions))
    return True


def thaw(world: ChaosWorld) -> bool:
    """The paused learner moves again: it reads what waited for it, or finds its line cut."""
    node = world.nodes.get(FROZEN)
    if node is None or not node.frozen:
        return False
    if world.rng.random() < 0.5:
        world.thaw(FROZEN)
        return True
    node.frozen = False
    node.backlog.clear()
    world.cut(FROZEN)
    world.connect(FROZEN)
    return True


def pause_agent(world: ChaosWorld) -> bool:
    """SIGSTOP for an agent; nobody follows it, and the broker has not noticed."""
    name = _an_agent(world)
    if name is None:
        return False
    world.nodes[name].frozen = True
    return True


def thaw_agents(world: ChaosWorld) -> bool:
    """Paused agents move again, and read what waited for them."""
    paused = [name for name in world.files if world.nodes[name].frozen]
    for name in paused:
        if world.nodes[name].service is None:
            world.nodes[name].frozen = False
        else:
            world.thaw(name)
    return bool(paused)


def fill_disk(world: ChaosWorld) -> bool:
    """No room for the next few writes, of whoever comes first."""
    world.disk.full_for = world.rng.randint(1, 3)
    return True


def jump_clock(world: ChaosWorld) -> bool:
    """A process's clock jumps forward, by seconds or by days."""
    name = _someone(world)
    if name is None:
        return False
    world.ahead[name] += world.rng.choice([3.0, 60.0, 4_000.0, 200_000.0])
    return True


def sleep_together(world: ChaosWorld) -> bool:
    """Everybody's clock jumps: a laptop on which all of it runs was closed."""
    world.now += world.rng.choice([10.0, 3_600.0])
    return True


def replay_frame(world: ChaosWorld) -> bool:
    """A frame that was sent long ago comes once more."""
    if not world.frames:
        return False
    sent = world.rng.choice(world.frames)
    parsed = Topics(RUN).read(sent.topic)
    assert parsed is not None
    to = LEARNER if sent.topic.endswith("/report") else parsed.agent
    service = world.nodes[to].service
    if service is None or world.nodes[to].frozen or not world.nodes[to].connected:
        return False
    service.received(sent.topic, sent.payload)
    return True


HARMLESS: dict[str, Fault] = {
    "killed": kill,
    "line cut": cut,
    "line mended": mend,
    "broker restarted": restart_broker,
    EMPTIED: empty_broker,
    FOLLOWED: pause_and_follow,
    "learner thawed": thaw,
    "agent paused": pause_agent,
    "agents thawed": thaw_agents,
    "disk filled": fill_disk,
    "clock jumped": jump_clock,
    "all slept": sleep_together,
    "old frame came again": replay_frame,
}
"""Faults that lose nothing which was told."""


def put_agent_back(world: ChaosWorld) -> bool:
    """An agent goes on from an earlier copy of its file."""
    name = _an_agent(world)
    if name is None or not world.files[name].history:
        return False
    world.forget(name)
    world.files[name].put_back(world.rng.randint(0, len(world.files[name].history)))
    return True


def rot(world: ChaosWorld) -> bool:
    """An agent's file is damaged, and its process ends."""
    name = _an_agent(world)
    if name is None or not world.files[name].history:
        return False
    world.forget(name)
    world.files[name].is_rotten = True
    return True


def put_journal_back(world: ChaosWorld) -> bool:
    """The learner goes on from an older copy of its journal."""
    node = world.nodes[LEARNER]
    if FROZEN in world.nodes or len(world.kept.transactions) < 2 or node.service is None:
        return False
    world.forget(LEARNER)
    world.journal = world.kept.prefix(world.rng.randint(1, len(world.kept.transactions)))
    return True


LOSSES: dict[str, Fault] = {
    "agent's file put back": put_agent_back,
    "agent's file rotten": rot,
    "journal put back": put_journal_back,
}
"""Faults that lose what was told."""
