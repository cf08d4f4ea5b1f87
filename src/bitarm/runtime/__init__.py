"""Where the machines meet the world: reward sources and channels. Decides nothing."""
