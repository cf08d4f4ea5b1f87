"""An agent's end of a run over a network, and what it must not forget."""
