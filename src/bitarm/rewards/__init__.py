"""Where rewards come from, and how they reach an agent."""
