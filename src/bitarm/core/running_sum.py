"""A sum of rewards that does not drift, however many are added one by one.

A float64 sum of n numbers is off by up to n·2^−53 of their size: after 5·10^6 rewards that were
added one at a time, by several of the steps that a mean is told in. So what each addition rounds
away is kept beside the sum (Kahan and Babuška's compensation, with Knuth's branch-free `TwoSum`).
The two together are off by less than 2^−53 of the sum, and n²·2^−106 of the rewards' size.

Of numbers alone, since the simulator compiles this very function.
"""


def add(total: float, rest: float, more: float) -> tuple[float, float]:
    """`total` and `rest`, the two parts of a sum, after `more` was added; the sum is total + rest.

    Begins at 0 and 0. The order of these operations is part of the arithmetic: whoever holds the
    same rewards in the same order has the same sum, to the last bit.
    """
    new = total + more
    added = new - total
    return new, rest + ((total - (new - added)) + (more - added))
