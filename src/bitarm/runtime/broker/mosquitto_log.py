"""Who was refused, and what for, and who took whose place: Mosquitto's log, read line by line.

Mosquitto names a client by the id that it chose itself. The account and the address that it came
from are what an operator needs, and stand only in the line of its connection: this reader remembers
them. Lines of ordinary traffic are dropped.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, final

from bitarm.peer_log import is_milestone
from bitarm.runtime.broker.access import may_read
from bitarm.runtime.broker.grants import Grant
from bitarm.wire.topics import LEARNER, ROOT

_CONNECTED = re.compile(r"New client connected from (\S+) as (.+) \(p\d+, c\d+, k\d+, u'(.*)'\)\.")
_REPLACED = re.compile(r"Client (.+) already connected, closing old connection\.")
_GONE = re.compile(r"Client (.+) (?:disconnected|closed its connection|has exceeded timeout)(.*)")
_DENIED = "Denied PUBLISH from "
# Mosquitto cuts lines of more than a thousand characters: the end may be missing.
_MESSAGE = re.compile(r" \(d\d, q\d, r\d, m\d+, '(.*?)(?:', \.\.\. \((\d+) bytes\)\))?")
_SUBSCRIPTION = re.compile(r" [012] (.+)")
_NOT_ADMITTED = re.compile(r"Sending CONNACK to (\S+) \(0, ([1-9]\d*)\)")
_TLS_AT_ONCE = re.compile(r"Client connection from (\S+) failed: (.*)")
_TLS_LATER = re.compile(r"OpenSSL Error\S* (.*)")
_EXPECTED = tuple(  # rules that are the same for every agent
    f"Warning: ACL pattern '{ROOT}/+/{LEARNER}/{word}' does not contain"
    for word in ("status", "end")
)
_NOTED = ("Error", "Warning", "OpenSSL")
_TAKEOVERS = 5  # from one address, and tenfold: fewer are a line that was lost and found again
_MOST_SPLITS = 8  # blanks in the name of a client that is not known
_MOST_CLIENTS = 100_000  # remembered; more are refused all the same, but without account


@final
class RefusalReader:
    """Turns lines of Mosquitto's log into lines worth showing."""

    def __init__(self, grants: Sequence[Grant] = ()) -> None:
        self.grants = grants  # what accounts may read and write beside the rules for all
        self._clients: dict[str, tuple[str, str]] = {}  # client id: account, address
        self._replaced: Counter[str] = Counter()  # how often a client's place was taken
        self._last_connection = "an unknown address"

    def read(self, line: str) -> str | None:
        """What to tell the operator; nothing for a line of ordinary traffic."""
        if line.startswith(("Received P", "Sending P")):  # nearly all lines
            return None
        client, topics = self._split(line, _SUBSCRIPTION)
        if client in self._clients and topics:  # first: a client's id may look like any other line
            return self._subscribed(client, topics[0])
        if line.startswith("New connection from "):
            self._last_connection = line.split()[3]
        elif found := _CONNECTED.fullmatch(line):
            return self._connected(*found.groups())
        elif found := _REPLACED.fullmatch(line):
            self._replaced[found[1]] += 1
        elif line.startswith(_DENIED):
            client, message = self._split(line.removeprefix(_DENIED), _MESSAGE)
            topic, size = message or ("what it tried", None)
            dropped = f"{size} bytes dropped" if size else "dropped"
            return f"refused: {self._who(client)} may not write {topic} ({dropped})"
        elif found := _NOT_ADMITTED.fullmatch(line):
            return f"refused: {found[1]} gave no valid name and password"
        elif found := _TLS_AT_ONCE.fullmatch(line):
            return _without_tls(f"a client at {found[1]}", found[2])
        elif found := _TLS_LATER.fullmatch(line):
            # Mosquitto does not say which connection it was: nearly always the last one.
            return _without_tls(f"a client, last {self._last_connection}", found[1])
        elif found := _GONE.fullmatch(line):
            return self._gone(found[1], found[2])
        elif line.startswith(_NOTED) and not line.startswith(_EXPECTED):
            return line
        return None

    def _connected(self, address: str, client: str, user: str) -> str | None:
        """Remember a client; tell if it took the place of another.

        A gateway that lost its line takes the place of its own dead connection: that is told only
        if it goes on and on, as it does where two processes have one name.
        """
        before = self._clients.get(client)
        if before is not None or len(self._clients) < _MOST_CLIENTS:
            self._clients[client] = (user, address)
        times = self._replaced[client]
        if not times or before is None:
            return None
        is_itself = user == before[0] and _host(address) == _host(before[1])
        if is_itself and not is_milestone(times, _TAKEOVERS):
            return None
        again = f", for the {times:,}th time" if times > 3 else ""
        return (
            f"taken over: {user} at {address} came as client {client!r}, and took the place of "
            f"{before[0]} at {before[1]}{again}"
        )

    def _subscribed(self, client: str, topic: str) -> str | None:
        if may_read(self._clients[client][0], topic, self.grants):
            return None
        return f"refused: {self._who(client)} may not read {topic} (nothing is sent)"

    def _split(self, text: str, rest: re.Pattern[str]) -> tuple[str, tuple[Any, ...]]:
        """The client that a text begins with, and what the rest says.

        Clients choose their ids and topics, spaces and brackets included, so a text may split at
        several places: a client that is connected is believed, the longest name first; of others
        the shortest name, and that only near the beginning.
        """
        ends = [at for at, char in enumerate(text) if char == " "]
        known = (at for at in reversed(ends) if text[:at] in self._clients)
        # Only then by what it looks like: who has a thousand blanks in a topic must not make us
        # read it a thousand times, since Mosquitto waits for whoever reads its log.
        for at in (*known, *ends[:_MOST_SPLITS]):
            if found := rest.fullmatch(text, at):
                return text[:at], found.groups()
        return text, ()

    def _who(self, client: str) -> str:
        if client not in self._clients:
            return f"client {client!r}"
        user, address = self._clients[client]
        return f"{user} at {address}"

    def _gone(self, client: str, why: str) -> str | None:
        told = None
        if "oversize packet" in why:
            told = f"refused: {self._who(client)} sent a packet that is too large"
        elif "due to protocol error" in why or "malformed" in why:
            told = f"refused: {self._who(client)} sent what is not MQTT"
        self._clients.pop(client, None)
        self._replaced.pop(client, None)
        return told


def _host(address: str) -> str:
    return address.rpartition(":")[0]


def _without_tls(who: str, why: str) -> str:
    if "alert" in why:  # sent by the other end: it looked at our certificate
        return f"refused by {who}: it does not trust our certificate ({why})"
    return f"refused: {who}: it does not speak TLS ({why})"
