"""The web page for live and past runs: reads the journal, never the runtime.

    library     the store, opened read-only, and what is new in it
    history     one run as columns: what the charts draw; frames: its events, bit by bit
    streams     one reader, many listeners: what server-sent events carry
    compare, explain, explain_challenge, paper      what the other pages show
    views       what the API says of runs, as values; problem_text: their problem files
    api, pages, app                                 routes under /api/v1, HTML, and both together
    guard       who may look: token, host names, content security policy
    limits      how much visitors may take; request_bodies and connections keep to it
    serve       a socket, and a server on it

`html/` has the content of each page, `assets/pages/` its script, and `assets/` what scripts share.

A dashboard that dies, or never starts, changes nothing in a run.
"""
