"""An agent's end of a run over a network, and what it must not forget.

service         each step: take in, pull a little, answer
demands         what the agent's own settings demand of a run
part            its part in a run: the machines of its arms, their rewards
memory, file    what it remembers of a run, and where that is kept
own_status      what it says of itself
waiting         what it waits for, in the log
ending          how the run ended, as far as it has heard
"""
