"""Compiled twins of the core's quantizers and policies.

A kernel repeats the machines' floating-point operations in the same order, so on the same tape both
give the same symbols, means and decisions to the last bit; `tests/lockstep` holds them to it. The
formulas stay in the core: a kernel reads them from tables (`sim/tables.py`), or calls the core's
own functions, compiled.

Three kernels, each the twin of some policies in `core/policies/`:

    elimination     se, sequential-halving, successive-rejects: all arms move together
    indexed         lucb, top-two, lil-ucb, lil-ucb-count: one or two arms a round; with `pairs`,
                    what separates arms of different pulls
    challenge       challenge, and agents that judge themselves: `challenge_turns` says who is
                    asked, `challenge_answers` what is answered, with `challenge_bets` or
                    `challenge_leads`; `challenge_race` has their records

What they share:

    arrays, status        what a kernel is given, and what it fills in
    report, quantize      rewards are drawn, and their mean is told and read
    sums, powers, highest sums of rewards, powers of two, the best of some arms
    compilation           how all this is compiled, and when anew

`full_bets` is the kernel of one experiment, and `redraw` does a tape's random draws alone.
"""
