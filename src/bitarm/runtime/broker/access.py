"""Who may read and write which topics. Whatever is not listed is denied.

Topics are `bitarm/v1/{run}/{agent}/{request|report|status}`, and `bitarm/v1/{run}/spec`, which the
learner retains for all. An agent is the user name that it logged in with: Mosquitto puts it in
place of `%u`, so the list does not grow with the fleet and an agent cannot claim another's name.
"""

from bitarm.runtime.broker.accounts import CHIRPSTACK
from bitarm.runtime.topics import LEARNER

ACCESS = f"""\
# Every agent: its own requests in, its own reports and status out, and the run's settings.
pattern read bitarm/v1/+/%u/request
pattern write bitarm/v1/+/%u/report
pattern write bitarm/v1/+/%u/status
pattern read bitarm/v1/+/spec

# The learner: the reverse, and devices behind a ChirpStack server.
user {LEARNER}
topic write bitarm/v1/+/+/request
topic read bitarm/v1/+/+/report
topic read bitarm/v1/+/+/status
topic readwrite bitarm/v1/+/spec
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
    if levels[:2] != ["bitarm", "v1"] or "#" in levels:
        return False
    return levels[3:] in ([user, "request"], ["spec"])
