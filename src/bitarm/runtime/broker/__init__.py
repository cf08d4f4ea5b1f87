"""A Mosquitto broker for learner and agents: certificates, accounts, access, and its process."""
