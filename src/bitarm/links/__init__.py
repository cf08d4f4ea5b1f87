"""Thin links: what they carry, and what a run costs on them.

profiles                      the links that are known, each with its limits; a new one goes there
airtime                       how long a LoRaWAN frame occupies the air
frame_sizes, judged_frames    how large the frames of a run can become
fit                           whether a link carries them, asked before the run begins
dismissals                    who is told that it is out of the race
cost, pull_cost               what frames and pulls cost: air time, messages, hours
"""
