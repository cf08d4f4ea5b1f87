"""The web page for live and past runs: reads the journal, never the runtime.

    library     the store, opened read-only, and what is new in it
    history     one run as columns: what the charts draw
    streams     one reader, many listeners: what server-sent events carry
    app         routes under /api/v1, and the pages
    guard       who may look: token, host names, content security policy
    limits      how much visitors may take; bodies and connections keep to it
    serve       a socket, and a server on it

A dashboard that dies, or never starts, changes nothing in a run.
"""
