"""The learner's end of a run over a network."""
