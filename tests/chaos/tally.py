"""What many attacks came to: runs, faults by kind, how the runs ended, and what failed."""

from collections import Counter
from dataclasses import dataclass, field

from chaos.faults import REMEDIES
from chaos.trial import Ended, Trial, Verdict


@dataclass(kw_only=True)
class Tally:
    """Counts of trials as they end."""

    runs: int = 0
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    schemes: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    left_over: int = 0
    failures: list[str] = field(default_factory=list)

    def add(self, trial: Trial, ended: Ended) -> None:
        """A trial that ended as it may."""
        self.runs += 1
        self.verdicts[ended.verdict] += 1
        self.schemes[trial.scheme] += 1
        counted = {kind: n for kind, n in ended.faults.items() if kind not in REMEDIES}
        self.faults.update(counted)
        self.left_over += ended.has_left_over

    def add_failure(self, trial: Trial, why: str) -> None:
        """A trial that did not end, or not as it may: it is repeated with its seed."""
        self.runs += 1
        self.schemes[trial.scheme] += 1
        self.failures.append(f"{trial}: {why}")

    def __str__(self) -> str:
        of_kind = [f"  {count:8,}  {kind}" for kind, count in self.faults.most_common() if count]
        of_end = [f"  {self.verdicts[verdict]:8,}  {verdict.value}" for verdict in Verdict]
        lines = [
            f"{self.runs:,} runs of {len(self.schemes)} schemes, {self.faults.total():,} faults:",
            *of_kind,
            "how they ended:",
            *of_end,
            f"  {len(self.failures):8,}  failures",
            f"after the end, {self.left_over:,} had a process that somebody had to end: "
            "the broker had lost the word that the run was over",
            *(f"FAILED {failure}" for failure in self.failures),
        ]
        return "\n".join(lines)
