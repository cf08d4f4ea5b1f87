"""Evidence that one arm is better than another: valid at any time and for any counts of pulls.

In the order in which the policy `challenge` comes by a decision (docs/architecture.md draws it):

    ladder                  rates λ at which evidence is gathered, and the law on pairs of them
    account, bets           what an agent keeps of its own rewards, and what that is worth
    tasks                   what a question may ask of it: pilot, edge, challenge
    spread, edge            what a pilot and a leader tell of their evidence, in a few bits
    verdict, least          what decides: whether a pair's evidence reaches its level for every m
    forecast                who is likely to fall, and when; nothing is claimed of it
    evidence                `Evidence`, all of it as the policy sees it
    bounded, sub_gaussian   the two widths: rewards with bounds and no σ, or with a σ
"""
