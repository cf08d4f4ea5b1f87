"""Becomes `bitarm` again and again: forks of a process that has loaded it, for forks.py.

Run as a program with the number of a socket, it takes two kinds of requests:

    {"start": words, "environment": …}   with stdout and stderr; answered with a process's number
    {"ended": number}                    once it has; answered with its exit code
"""

import gc
import json
import os
import socket
import sys

MOST_BYTES = 1 << 17


def serve(line: socket.socket) -> bool:
    """Fork for whoever asks; True in a fork, False when the other end is gone."""
    while True:
        payload, streams, _, _ = socket.recv_fds(line, MOST_BYTES, 2)
        if not payload:
            return False
        request = json.loads(payload)
        if "ended" in request:
            _, status = os.waitpid(request["ended"], 0)
            answer = os.waitstatus_to_exitcode(status)
        else:
            answer = os.fork()
            if answer == 0:
                line.close()
                _take(request, *streams)
                return True
        for stream in streams:
            os.close(stream)
        line.send(json.dumps(answer).encode())


def _take(request: dict[str, object], stdout: int, stderr: int) -> None:
    """Words, environment and streams of the command that this fork is to be."""
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    os.close(stdout)
    os.close(stderr)
    words, environment = request["start"], request["environment"]
    assert isinstance(words, list)
    assert isinstance(environment, dict)
    sys.argv = ["bitarm", *words]
    os.environ.clear()
    os.environ.update(environment)


def _load() -> None:
    """All that agents and learners load, and what their flags are made of."""
    from typer.main import get_group

    import bitarm.runtime.mqtt
    import bitarm.sim.models  # noqa: F401
    from bitarm.cli.app import make_app

    get_group(make_app(("learner", "agent")))
    gc.collect()
    gc.freeze()  # else the first collection of each fork would copy all of it


if __name__ == "__main__":
    _load()
    if serve(socket.socket(fileno=int(sys.argv[1]))):
        from bitarm.__main__ import main

        main()
