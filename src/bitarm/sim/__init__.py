"""Simulation: whole runs by the million, with the decisions and bits of the real machines.

    models, environment   what rewards are drawn from
    tape, engine          blocks of trials, drawn once and read by every scheme
    twins                 which schemes have a kernel
    tables, kernels/      a scheme's numbers, and the compiled loops that read them
    machines              the learner and its agents on a tape, where no kernel has the scheme
    sweep, execute        many trials in chunks, by one process, several or a cluster
    chunks                finished chunks on disk
    trials, statistics    what came of each trial, and averages over them
    processor_time        what a chunk takes, beside its bare random draws

Needs numpy, numba and scipy (extra `sim`); `models` needs numpy alone.
"""
