"""A Mosquitto broker for learner and agents: certificates, accounts, access, and its process.

provision                  sets a broker up, and changes one that is there
folder                     where its files are, and how they are written
authority                  the certificate authority, and the server's certificate
accounts, access, grants   who may connect; who may read and write what; single accounts' more
shares                     how much one account may have the broker keep
configuration              how Mosquitto is told all that
serve                      a broker from its start to its end
mosquitto, check           the process; whether it answers as agents will ask
mosquitto_log              who was refused, read from its log
"""
