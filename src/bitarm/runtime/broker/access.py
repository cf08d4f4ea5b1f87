"""Who may read and write which topics. Whatever is not listed is denied.

Topics are `bitarm/v2/{run}/{agent}/{run|request|report|status}`; the learner's own status is in the
place of an agent's, and all may read it. An agent is the user name that it logged in with:
Mosquitto puts it in place of `%u`, so the list does not grow with the fleet and an agent cannot
claim another's name.
"""

from bitarm.runtime.broker.accounts import CHIRPSTACK
from bitarm.wire.topics import LEARNER, ROOT

ACCESS = f"""\
# Every agent: its own part in a run and its requests in, its reports and status out; and whether
# the run has a learner.
pattern read {ROOT}/+/%u/run
pattern read {ROOT}/+/%u/request
pattern write {ROOT}/+/%u/report
pattern write {ROOT}/+/%u/status
pattern read {ROOT}/+/{LEARNER}/status

# The learner: the reverse, and devices behind a ChirpStack server.
user {LEARNER}
topic readwrite {ROOT}/+/+/run
topic write {ROOT}/+/+/request
topic read {ROOT}/+/{LEARNER}/request
topic read {ROOT}/+/+/report
topic readwrite {ROOT}/+/+/status
topic read application/+/device/+/event/+
topic write application/+/device/+/command/down

# A ChirpStack server, where an account of this name was added.
user {CHIRPSTACK}
topic write application/+/device/+/event/+
topic read application/+/device/+/command/+
"""


def may_read(user: str, topic: str) -> bool:
    """Whether a subscription names only what the user gets: Mosquitto grants all and filters.

    Says what the list above says, for the log: an agent that subscribes to more is told nothing
    and receives nothing, but its owner should know.
    """
    if user in (LEARNER, CHIRPSTACK):
        return True
    levels = topic.split("/")
    if levels[:2] != ROOT.split("/") or "#" in levels:
        return False
    return levels[3:] in ([user, "run"], [user, "request"], [LEARNER, "status"])
