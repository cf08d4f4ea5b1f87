"""The paper as code: learner and agent machines, quantizers, policies, widths, schedules.

Everything here is a function of its arguments: no clock, no random generator, no socket, no file,
no third-party package. A message goes in; a tuple of messages and events comes out.
"""
