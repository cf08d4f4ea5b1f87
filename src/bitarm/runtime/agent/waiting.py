"""What an agent waits for, said in the log: nobody should have to guess why nothing happens."""

import logging
from collections.abc import Iterable, Mapping
from typing import final

from bitarm.errors import PeerProtocolError
from bitarm.runtime.agent.ending import is_outdated
from bitarm.runtime.patience import Patience
from bitarm.wire.status import Presence, Status, load_status

_LOGGER = logging.getLogger("bitarm.agent")
_USUAL = 60.0  # seconds: others pull too, and an agent that is here has its turn again


@final
class AgentWaiting:
    """The waits of one agent's service: for a run, for the learner, for a sensor."""

    def __init__(self, agent: str, run: str, sensors: Iterable[str]) -> None:
        self._agent, self._run = agent, run
        self._learner: Presence | None = None  # what the learner last said of itself
        self._over: Status | None = None  # the last run that a learner said is over
        self._for_run = Patience()
        self._for_learner = Patience()
        self._for_question = Patience(_USUAL)
        self._silent = {topic: Patience() for topic in sensors}

    @property
    def due_at(self) -> float:
        """When there is something to say, if nothing happens before."""
        waits = (self._for_run, self._for_learner, self._for_question, *self._silent.values())
        return min(wait.due_at for wait in waits)

    def heard_learner(self, payload: bytes) -> None:
        """The learner's status came, or its word that the run is over, or one was cleared.

        That word stands, whatever a learner of before says: as its last will does, much later.
        """
        try:
            status = load_status(payload) if payload else None
        except PeerProtocolError:
            return  # said where it is acted on
        if status is not None and status.presence is Presence.DONE:
            self._over = status
        elif status is not None and self._is_of_before(status):
            return
        self._learner = None if status is None else status.presence
        self._for_learner.over()

    def _is_of_before(self, status: Status) -> bool:
        over = self._over
        return (
            over is not None
            and status.opening == over.opening
            and (status.epoch == over.epoch or is_outdated(status, over.epoch))
        )

    def heard_sensor(self, topic: str) -> None:
        """A sensor's topic is open to us: from now on it is the sensor that decides when."""
        self._silent.pop(topic, None)

    def without_run(self, now: float) -> None:
        """No run was joined so far."""
        self._for_learner.over()
        self._for_question.over()
        waited = self._for_run.waited(now)
        if waited is not None:
            why = _WITHOUT_RUN[self._learner].format(run=self._run, agent=self._agent)
            _LOGGER.warning(
                "%s has waited %.0f s for run %s: %s", self._agent, waited, self._run, why
            )

    def in_run(self, now: float, *, wanted: Mapping[str, str], is_busy: bool) -> None:
        """A run was joined; `wanted` has the topics whose rewards are wanted, with their arms."""
        self._for_run.over()
        for topic, wait in self._silent.items():
            if topic not in wanted:
                wait.over()
            elif (waited := wait.waited(now)) is not None:
                _LOGGER.warning(
                    "%s has waited %.0f s for rewards of %s: nothing has come on %s yet. Does the "
                    "sensor publish there, and may this account read it? (bitarm broker grant DIR "
                    "%s --read %s)",
                    self._agent,
                    waited,
                    wanted[topic],
                    topic,
                    self._agent,
                    topic,
                )
        if is_busy or self._learner is not Presence.OFFLINE:
            self._for_learner.over()
        elif (waited := self._for_learner.waited(now)) is not None:
            _LOGGER.warning(
                "%s has waited %.0f s for the learner of run %s, which is away: "
                "bitarm learner --resume goes on with the run",
                self._agent,
                waited,
                self._run,
            )
        if is_busy or self._learner is Presence.OFFLINE:
            self._for_question.over()
        elif (waited := self._for_question.waited(now)) is not None:
            _LOGGER.info(
                "%s has answered, and waits for the learner's next question since %.0f s",
                self._agent,
                waited,
            )

    def spoken_to(self) -> None:
        """A question came, or a dismissal."""
        self._for_question.over()


_WITHOUT_RUN = {
    None: "no learner has announced it here. Start one with --run {run} on this broker, or check "
    "the name",
    Presence.ONLINE: "it has a learner, which has announced nothing to {agent}. Does the learner's "
    "problem file name this agent?",
    Presence.PULLING: "it has a learner, which has announced nothing to {agent}. Does the "
    "learner's problem file name this agent?",
    Presence.OFFLINE: "its learner is away. bitarm learner --resume goes on with it",
    Presence.FAILED: "its learner has failed. bitarm learner --resume goes on with it",
    Presence.DONE: "the last run of that name is over, and the next has not begun",
}
"""Why there is no run, by what the learner last said of itself."""
