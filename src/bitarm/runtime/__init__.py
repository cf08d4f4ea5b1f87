"""What drives the machines: one process, or services over a broker. Decides nothing itself.

embedded               a whole run in one process
learner/, agent/       each side as a service: messages and times go in and come out
service, mqtt          what joins a service to a wire, and such a wire: paho's client
broker_url             which broker, as whom
backoff, patience      when to try again, and when to say that one waits
signals                signals at moments of our own choosing
refusals, observed     what peers were refused; what passes through a service
broker/                a Mosquitto broker for both: certificates, accounts, its process
chirpstack/            experimental: agents that are LoRaWAN devices
"""
