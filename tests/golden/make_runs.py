"""Runs what runs_*.jsonl.gz and simulations.json say was run, and records it anew.

They were recorded before the questions redesign, which moves an agent's state to the learner and
must change no decision, no mean and no bit of payload. The files are kept: never make them anew to
please a test. The runs of `exact` were made anew when an agent's sum became a compensated one:
means moved by at most 2 units of the last place in 85 of 321 runs, and nothing else in them; nor
did any run of another quantizer. The simulation "se, limits" was made anew when averages began to
leave out trials without an answer. Runs of policies that there no longer are were taken out. A new
run to record is a line with its words.

From the repository's root: PYTHONPATH=src:tests python -m golden.make_runs
"""

from golden import simulations, whole_runs


def main() -> None:
    for quantizer in whole_runs.kept_of():
        kept = whole_runs.recorded(quantizer).values()
        whole_runs.write(quantizer, [whole_runs.run_again(record) for record in kept])
    simulations.write([simulations.run(case) for case in simulations.CASES])


if __name__ == "__main__":
    main()
