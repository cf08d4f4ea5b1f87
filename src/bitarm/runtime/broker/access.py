"""Who may read and write which topics. Whatever is not listed is denied.

Topics are `bitarm/v2/{run}/{agent}/{run|request|report|status}`; the learner's own status is in the
place of an agent's, beside it the word that the run is over, and all may read both. An agent is the
user name that it logged in with: Mosquitto puts it in place of `%u`, so the list does not grow with
the fleet and an agent cannot claim another's name.
"""

from collections.abc import Sequence

from bitarm.runtime.broker.accounts import BROKER, CHIRPSTACK
from bitarm.runtime.broker.grants import Grant, write_grants
from bitarm.wire.topics import LEARNER, ROOT

ACCESS = f"""\
# Every agent: its own part in a run and its requests in, its reports and status out; and whether
# the run has a learner, or is over.
pattern read {ROOT}/+/%u/run
pattern read {ROOT}/+/%u/request
pattern write {ROOT}/+/%u/report
pattern write {ROOT}/+/%u/status
pattern read {ROOT}/+/{LEARNER}/status
pattern read {ROOT}/+/{LEARNER}/end

# The learner: the reverse, and devices behind a ChirpStack server.
user {LEARNER}
topic readwrite {ROOT}/+/+/run
topic write {ROOT}/+/+/request
topic read {ROOT}/+/{LEARNER}/request
topic read {ROOT}/+/+/report
topic readwrite {ROOT}/+/+/status
topic readwrite {ROOT}/+/{LEARNER}/end
topic read application/+/device/+/event/+
topic write application/+/device/+/command/down

# The broker itself: it clears what an account has it keep beyond its share.
user {BROKER}
topic readwrite {ROOT}/+/+/report
topic readwrite {ROOT}/+/+/status

# A ChirpStack server, where an account of this name was added.
user {CHIRPSTACK}
topic write application/+/device/+/event/+
topic read application/+/device/+/command/+
"""


def access_list(grants: Sequence[Grant]) -> str:
    """Mosquitto's access control list: the rules for all, then what was granted beside them."""
    return ACCESS + (
        f"\n# Granted with `bitarm broker grant`.\n{write_grants(grants)}" * bool(grants)
    )


def may_read(user: str, topic: str, grants: Sequence[Grant] = ()) -> bool:
    """Whether a subscription names only what the user gets: Mosquitto grants all and filters.

    Says what the list above says, for the log: an agent that subscribes to more is told nothing
    and receives nothing, but its owner should know.
    """
    if user in (LEARNER, CHIRPSTACK, BROKER):
        return True
    if any(grant.lets_read(user, topic) for grant in grants):
        return True
    levels = topic.split("/")
    if levels[:2] != ROOT.split("/") or "#" in levels:
        return False
    return levels[3:] in ([user, "run"], [user, "request"], [LEARNER, "status"], [LEARNER, "end"])
