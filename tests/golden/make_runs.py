"""Makes runs_*.jsonl.gz and simulations.json: whole runs and simulations, as they were.

They were recorded before the questions redesign, which moves an agent's state to the learner and
must change no decision, no mean and no bit of payload. It was run once, and the files are kept:
never make them anew to please a test. The runs of `exact` were made anew when an agent's sum became
a compensated one: means moved by at most 2 units of the last place in 85 of 321 runs, and nothing
else in them; nor did any run of another quantizer.

From the repository's root: PYTHONPATH=src:tests python -m golden.make_runs
"""

from collections import defaultdict

from golden import run_cases, simulations, whole_runs


def main() -> None:
    records: dict[str, list[whole_runs.Record]] = defaultdict(list)
    for case in run_cases.cases():
        for seed in whole_runs.SEEDS:
            records[case.quantizer].append(whole_runs.run(case, seed))
    for quantizer, runs in records.items():
        whole_runs.write(quantizer, runs)
    simulations.write([simulations.run(case) for case in simulations.CASES])


if __name__ == "__main__":
    main()
