"""Experimental: agents that are LoRaWAN devices behind a ChirpStack v4 server."""
