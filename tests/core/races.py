"""A race of a learner and its agents that a test drives round by round; arms may be lost."""

from drives import answered
from tapes import Problem, Tape, make_spec

from bitarm.core.agent import Agent
from bitarm.core.confidence import Stride
from bitarm.core.events import LearnerEvent, RunEnded
from bitarm.core.learner import Learner
from bitarm.core.learner_state import LearnerOutput
from bitarm.core.limits import Limits
from bitarm.core.messages import Dismiss, Request
from bitarm.core.policies import SuccessiveElimination
from bitarm.core.policy import Policy
from bitarm.core.quantizers import Dyadic, Exact, Quantizer
from bitarm.core.schedule import LooksSchedule


class Race:
    """A learner and its agents, round by round, with the events in order."""

    def __init__(
        self,
        means: tuple[int, ...],
        policy: Policy | None = None,
        quantizer: Quantizer | None = None,
    ) -> None:
        policy = policy or SuccessiveElimination()
        spec = make_spec(arms=len(means), quantizer=quantizer or Exact())
        if policy.stride is Stride.JUDGED:
            spec = make_spec(
                arms=len(means), quantizer=Dyadic(), width="bounded", schedule=LooksSchedule()
            )
        problem = Problem(
            spec=spec,
            policy=policy,
            limits=Limits(rounds=40),
            tape=Tape(seed=3, means=means, spread=100, bounds=(0, 1024)),
        )
        self.problem = problem
        self.learner: Learner = problem.learner()
        self.agents: list[Agent] = problem.agents()
        self.events: list[LearnerEvent] = []
        self.told: list[Dismiss] = []
        self.take(self.learner.start())

    def take(self, output: LearnerOutput) -> None:
        self.events.extend(output.events)
        self.told.extend(sent for sent in output.messages if isinstance(sent, Dismiss))

    def serve(self, request: Request) -> None:
        agent = self.agents[request.arm]
        for report in answered(agent, request, self.problem.tape.total):
            self.take(self.learner.receive(report))

    def round(self, without: tuple[int, ...] = ()) -> None:
        for request in self.learner.pending:
            if request.arm not in without:
                self.serve(request)

    def run(self) -> RunEnded:
        while self.learner.ending is None:
            self.round()
        return self.learner.ending
