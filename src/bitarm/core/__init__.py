"""The paper as code: learner and agent machines, quantizers, policies, widths, schedules.

Everything here is a function of its arguments: no clock, no random generator, no socket, no file,
no third-party package. A message goes in; a tuple of messages and events comes out.

How a reward becomes a decision, call by call; whoever drives the machines (`bitarm.runtime`,
`bitarm.sim`) carries values from one line to the next:

    rewards.collect        checks rewards and adds them up
    Agent.observe          counts them, until those that its question wants are there
    Question.answer        puts their mean into bits: a Symbol, which goes out in a Report. Where
                           agents judge themselves, Question.is_beaten may end this before
    Learner.receive        finds out whether the report answers a question that is open
    Race.hear              has it read (Quantizer.read), and holds what is then known of the arm
    Rounds.close           once all that were asked have answered: what follows
    Policy.decide          sees an ArmView of each arm and a Confidence, and says which arms
                           advance, which fall, and whether one has won
    Rounds.decide          makes of that events, to be kept, and then new requests

What there is, and where:

    question, codes/, bits             what an agent is asked, and how a mean becomes bits
    agent, rewards, running_sum        the agent's machine, and rewards on their way to it
    messages, epochs                   what both ends say, and in which of the learner's starts
    learner, rounds, race              the learner's machine: what an answer means, what follows
                                       when a round closes, what is held of each arm
    learner_state, catch_up            its values; how it goes on if it lost a part of its past
    policy, policies/, budget, phases  which arms advance, fall or win
    quantizer, quantizers/, hint       how the learner asks, and reads with a known error
    dither, resolution                 what rounding takes, on purpose and because of floats
    confidence, widths/, evidence/     how sure one may be that an arm is better than another
    setup, spec, schedule, limits      a run before it begins; bounds: the range of its rewards
    words, vocabulary, registry        its parameters by name, and its schemes
    events, plain, journal, replay     what happened, as text; kept; lived through again
    standings, sentences, outlook      where a run stands, told in numbers and in words
    outcome, result                    how it ended, in a word and in full
    guarantee, assumptions             what may be claimed of that
"""
