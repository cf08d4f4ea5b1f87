"""The learner's end of a run over a network.

service                each step: take in, write down, speak
begin, probe           a new run or one of the journal; what the broker knows before
ongoing                the run as the service holds it
hearing                what follows from each message that comes in
roster, processes      which agents are there; which process speaks for one, what it forgot
rivals                 other learners of this run: who goes on, in which epoch
transactions           events on their way into the journal
outbox, retained       questions and dismissals; what the broker keeps for who comes later
meter                  what goes over the agents' links
waiting                whom the learner waits for, in the log
farewell               the end, told to everyone
"""
