"""The bench of the agent for MicroPython; `benches.py` says what its lines mean."""

from bitarm_agent import Agent, Refusal


class DeadError(Exception):
    """Power has failed."""


class RestError(Exception):
    """It said that it is beaten."""


class Flash:
    """Two slots; a write can fail, or be torn when power does."""

    def __init__(self) -> None:
        self.slots = [b"", b""]
        self.full = 0
        self.tear: "int | None" = None
        self.writes = 0

    def read(self, slot: int) -> bytes:
        return self.slots[slot]

    def write(self, slot: int, content: bytes) -> None:
        self.writes += 1
        if self.full:
            self.full -= 1
            raise OSError("no room")
        if self.tear is not None:
            torn = min(self.tear, len(content) - 1)
            self.slots[slot] = content[:torn] + self.slots[slot][torn:]
            raise DeadError
        self.slots[slot] = bytes(content)


class Arm:
    """One agent and its flash."""

    def __init__(self, *numbers: int) -> None:
        self.numbers = numbers
        self.flash = Flash()
        self.is_dead = False
        self.agent = self._start()

    def _start(self) -> Agent:
        agent = Agent(self.flash, *self.numbers[:3])
        agent.most_pulls = self.numbers[3]
        agent.most_bits = self.numbers[4] if len(self.numbers) > 4 else agent.most_bits
        return agent

    def serve(self, verb: str, words: "list[str]") -> "bytes | None":
        if verb == "hear":
            return self.agent.receive(bytes.fromhex("".join(words)))
        if verb == "cut":
            self.is_dead, self.flash.tear = False, None
            self.agent = self._start()
            return self.agent.resume()
        if verb == "rest" and self.agent.has_conceded:
            raise RestError
        if verb == "full":
            self.flash.full = int(words[0])
        if verb == "tear":
            self.flash.tear = int(words[0])
        if verb == "give":
            for word in words:
                said = self.agent.observe(int(word))
                if said:
                    return said
        return None


class Bench:
    """Arms by their names."""

    def __init__(self) -> None:
        self.arms: "dict[str, Arm]" = {}

    def ask(self, line: str) -> str:
        words = line.split()
        name, verb, words = words[0], words[1], words[2:]
        if verb == "new":
            self.arms[name] = Arm(*[int(word) for word in words])
        arm, said, kind = self.arms[name], None, "dead"
        if not arm.is_dead or verb == "cut":
            try:
                said = arm.serve(verb, words)
                kind = "say" if said else "quiet"
            except Refusal as refusal:
                kind = refusal.args[0]
            except OSError:
                kind = "full"
            except RestError:
                kind = "rest"
            except DeadError:
                arm.is_dead = True
        wanted = 0 if arm.is_dead else arm.agent.wanted
        shown = said.hex() if said else "-"
        return " ".join((kind, shown, str(wanted), str(arm.agent.count)))
