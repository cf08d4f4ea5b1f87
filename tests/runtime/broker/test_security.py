"""What the broker refuses, and what it then says of whom: a real Mosquitto on loopback."""

import socket
import ssl
import stat
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from loopback import PATIENCE, eventually
from runtime.broker.lab import Lab, running_lab

from bitarm.runtime.broker import authority, provision
from bitarm.runtime.broker.configuration import MAX_PACKET_BYTES
from bitarm.runtime.broker.folder import write_private

NOT_AUTHORISED = 135


def _arrives_only(lab: Lab, reader: str, topics: tuple[str, ...], *, hostile: str, by: str) -> None:
    """What `by` publishes on `hostile` is refused, and never reaches `reader`."""
    with (
        lab.admitted(reader) as victim,
        lab.admitted(by) as offender,
        lab.admitted("learner", name="honest") as learner,
    ):
        victim.subscribe(*topics, "bitarm/v2/marker/learner/status")
        assert offender.publish(hostile, b"forged") == NOT_AUTHORISED
        learner.publish(
            "bitarm/v2/marker/learner/status", b"after"
        )  # what came before it is through
        assert victim.next() == ("bitarm/v2/marker/learner/status", b"after")
    line = lab.await_told("refused", f"may not write {hostile}")
    assert f"refused: {by} at 127.0.0.1:" in line


@pytest.mark.parametrize("what", ["report", "status"])
def test_an_agent_cannot_speak_for_another(lab: Lab, what: str) -> None:
    hostile = f"bitarm/v2/{what}s/gw-2/{what}"
    _arrives_only(lab, "learner", (f"bitarm/v2/+/+/{what}",), hostile=hostile, by="gw-1")


def test_an_agent_cannot_request(lab: Lab) -> None:
    hostile = "bitarm/v2/run/gw-2/request"
    _arrives_only(lab, "gw-2", (hostile,), hostile=hostile, by="gw-1")


def test_an_agent_cannot_request_even_of_itself(lab: Lab) -> None:
    hostile = "bitarm/v2/run/gw-1/request"
    _arrives_only(lab, "learner", ("bitarm/v2/+/+/report",), hostile=hostile, by="gw-1")


def test_an_agent_cannot_announce_a_run(lab: Lab) -> None:
    hostile = "bitarm/v2/run/gw-2/run"
    _arrives_only(lab, "gw-2", (hostile,), hostile=hostile, by="gw-1")


@pytest.mark.parametrize("what", ["status", "request"])
def test_an_agent_cannot_speak_for_the_learner(lab: Lab, what: str) -> None:
    """Or it could make a learner yield, or end a run for all the others."""
    hostile = f"bitarm/v2/run/learner/{what}"
    topics = tuple(f"bitarm/v2/run/learner/{word}" for word in ("status", "request", "end"))
    _arrives_only(lab, "learner", topics, hostile=hostile, by="gw-1")


@pytest.mark.parametrize(
    "topic",
    ["bitarm/v2/run/gw-1/run", "bitarm/v1/run/gw-1/report", "elsewhere", "$SYS/broker/uptime"],
)
def test_an_agent_writes_nowhere_else(lab: Lab, topic: str) -> None:
    with lab.admitted("gw-1") as offender:
        assert offender.publish(topic, b"x") == NOT_AUTHORISED


def test_a_long_topic_does_not_hide_who_wrote_to_it(lab: Lab) -> None:
    with lab.admitted("gw-1") as offender:
        assert offender.publish("long/" + "x" * 2000, b"x") == NOT_AUTHORISED
    lab.await_told("refused: gw-1 at 127.0.0.1:", "may not write long/xxxx")


def test_the_learner_cannot_report(lab: Lab) -> None:
    with lab.admitted("learner") as learner:
        assert learner.publish("bitarm/v2/run/gw-1/report", b"x") == NOT_AUTHORISED


_DOWN = ("gw-1/request", "gw-1/run", "learner/status", "learner/end")


def test_agent_and_learner_have_what_they_need(lab: Lab) -> None:
    with lab.admitted("learner") as learner, lab.admitted("gw-1") as agent:
        learner.subscribe("bitarm/v2/ok/+/report", "bitarm/v2/ok/gw-1/status")
        down = tuple(f"bitarm/v2/ok/{topic}" for topic in _DOWN)
        agent.subscribe(*down)
        for topic in down:
            assert learner.publish(topic, b"down") in (0, 16)  # 16: nobody else listens
            assert agent.next() == (topic, b"down")
        for topic in ("bitarm/v2/ok/gw-1/report", "bitarm/v2/ok/gw-1/status"):
            assert agent.publish(topic, b"up") == 0
            assert learner.next() == (topic, b"up")


@pytest.mark.parametrize(
    "topic",
    [
        "bitarm/v2/secret/gw-2/request",
        "bitarm/v2/+/+/request",
        "bitarm/v2/#",
        "#",
        "bitarm/v2/secret/gw-2/report",
        "bitarm/v2/secret/gw-2/status",
        "$share/g/bitarm/v2/+/+/request",
    ],
)
def test_an_agent_reads_nobody_elses(lab: Lab, topic: str) -> None:
    """Mosquitto grants the subscription and sends nothing: so nothing must arrive."""
    with (
        lab.admitted("gw-1") as offender,
        lab.admitted("gw-2") as other,
        lab.admitted("learner") as learner,
    ):
        offender.subscribe(topic)
        learner.publish("bitarm/v2/secret/gw-2/request", b"not for you")
        other.publish("bitarm/v2/secret/gw-2/report", b"nor this")
        other.publish("bitarm/v2/secret/gw-2/status", b"nor that", retain=True)
        offender.subscribe(topic)  # again, now that something is retained
        offender.subscribe("bitarm/v2/+/gw-1/request")
        learner.publish("bitarm/v2/end/gw-1/request", b"for you")
        assert offender.next() == ("bitarm/v2/end/gw-1/request", b"for you")
        other.publish("bitarm/v2/secret/gw-2/status", b"", retain=True)
    lab.await_told("refused: gw-1 at 127.0.0.1:", f"may not read {topic} ")


def test_a_last_will_speaks_for_nobody_else(lab: Lab) -> None:
    with lab.admitted("learner") as learner:
        learner.subscribe("bitarm/v2/+/+/status")
        with lab.admitted("gw-1", will="bitarm/v2/run/gw-2/status") as offender:
            sock = offender.client.socket()
            assert isinstance(sock, ssl.SSLSocket)
            sock.shutdown(socket.SHUT_RDWR)  # dies without a word: the will is due
            eventually(offender.gone.is_set, "the end of the connection")
        with lab.admitted("gw-2") as honest:
            honest.publish("bitarm/v2/run/gw-2/status", b"alive")
        assert learner.next() == ("bitarm/v2/run/gw-2/status", b"alive")


def test_a_stolen_client_id_does_not_bring_the_queue_of_another(lab: Lab) -> None:
    """Requests that wait for an agent are not handed to one who only claims its client id."""
    topic = "bitarm/v2/queued/gw-2/request"
    with lab.client("gw-2", name="gateway", clean=False) as victim:
        assert victim.connected.get(timeout=PATIENCE) == 0
        victim.subscribe(topic)
    with lab.admitted("learner") as learner:
        learner.publish(topic, b"for gw-2")
        with lab.client("gw-1", name="gateway", clean=False) as thief:
            assert thief.connected.get(timeout=PATIENCE) == 0
            thief.subscribe("bitarm/v2/queued/gw-1/request")
            learner.publish("bitarm/v2/queued/gw-1/request", b"for gw-1")
            assert thief.next() == ("bitarm/v2/queued/gw-1/request", b"for gw-1")


@pytest.mark.parametrize(
    ("user", "password"),
    [(None, None), ("gw-1", "wrong"), ("nobody", "x"), ("learner", ""), ("gw-1", "gw-1")],
)
def test_without_the_right_password_nobody_gets_in(
    lab: Lab, user: str | None, password: str | None
) -> None:
    before = len(lab.told())
    with lab.client(user, password=password, name="intruder") as offender:
        assert offender.connected.get(timeout=PATIENCE) in (NOT_AUTHORISED, 134)
    eventually(lambda: len(lab.told()) > before, "a line in the log")
    assert "refused: 127.0.0.1 gave no valid name and password" in lab.told()[before]


def test_a_line_break_in_a_name_forges_no_line_of_the_log(lab: Lab) -> None:
    with lab.client("gw-1", name="x\nrefused: learner at 192.0.2.1") as offender:
        eventually(offender.gone.is_set, "the end of a client with such an id")
    assert "192.0.2.1" not in "".join(lab.told())


def test_one_agents_password_is_not_anothers(lab: Lab) -> None:
    with lab.client("gw-1", password=lab.password("gw-2")) as offender:
        assert offender.connected.get(timeout=PATIENCE) == NOT_AUTHORISED


def test_plain_tcp_is_refused(lab: Lab) -> None:
    introduction = b"\x10\x10\x00\x04MQTT\x04\x02\x00\x3c\x00\x04test"
    with socket.create_connection(("127.0.0.1", lab.port), timeout=PATIENCE) as plain:
        plain.sendall(introduction)
        try:
            answer = plain.recv(64)
        except ConnectionResetError:
            answer = b""
    assert answer[:1] != b"\x20"  # no CONNACK: at most a TLS alert
    lab.await_told("refused: a client", "127.0.0.1", "does not speak TLS")


def test_old_tls_is_refused(lab: Lab) -> None:
    context = lab.trusting()
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises(ssl.SSLError):
        lab.shake_hands(context)


def test_a_broker_of_another_authority_is_not_trusted(lab: Lab, tmp_path: Path) -> None:
    other = tmp_path / "other.crt"
    other.write_bytes(authority.new_authority(datetime.now(UTC)).certificate)
    with pytest.raises(ssl.SSLCertVerificationError):
        lab.shake_hands(lab.trusting(other))
    lab.await_told("refused by a client", "does not trust our certificate")


def test_a_host_name_that_the_certificate_lacks_is_not_trusted(lab: Lab) -> None:
    lab.shake_hands(lab.trusting(), "localhost")
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        lab.shake_hands(lab.trusting(), "broker.example.org")


def test_an_oversized_packet_ends_its_sender_and_nobody_else(lab: Lab) -> None:
    with lab.admitted("gw-2") as honest, lab.admitted("gw-1") as offender:
        offender.client.publish("bitarm/v2/run/gw-1/report", bytes(MAX_PACKET_BYTES + 1), qos=1)
        eventually(offender.gone.is_set, "the end of the sender")
        assert honest.publish("bitarm/v2/run/gw-2/report", b"small") in (0, 16)
    line = lab.await_told("refused", "sent a packet that is too large")
    assert "gw-1 at 127.0.0.1:" in line


@pytest.mark.parametrize(
    "garbage",
    [
        bytes(64),
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x30\x04\x00\x01ax",  # a message before any introduction
        b"\x10\x0c\x00\x04MQTX\x04\x02\x00\x3c\x00\x00",  # an introduction to another protocol
    ],
)
def test_garbage_inside_tls_ends_its_sender_and_nobody_else(lab: Lab, garbage: bytes) -> None:
    context = lab.trusting()
    with lab.admitted("gw-2") as honest:
        with (
            socket.create_connection(("127.0.0.1", lab.port), timeout=PATIENCE) as raw,
            context.wrap_socket(raw, server_hostname="localhost") as secure,
        ):
            secure.sendall(garbage)
            assert secure.recv(64) == b""  # shut out
        assert honest.publish("bitarm/v2/run/gw-2/report", b"small") in (0, 16)


def test_an_expired_certificate_is_refused_by_agents(tmp_path: Path) -> None:
    with running_lab(tmp_path, "gw-1") as lab:
        past = datetime.now(UTC) - timedelta(days=authority.SERVER_DAYS + 1)
        signer = authority.KeyPair(
            certificate=lab.folder.ca_certificate.read_bytes(), key=lab.folder.ca_key.read_bytes()
        )
        old = authority.new_server(signer, ("localhost", "127.0.0.1"), past)
        write_private(lab.folder.server, old.pem)

        def expired() -> bool:  # once the broker has read its files again
            try:
                lab.shake_hands(lab.trusting())
            except ssl.SSLCertVerificationError as error:
                return "certificate has expired" in str(error)
            return False

        eventually(expired, "the refusal of an expired certificate")


def test_an_agent_that_is_added_gets_in_and_one_that_is_removed_does_not(tmp_path: Path) -> None:
    with running_lab(tmp_path, "gw-1") as lab, ExitStack() as stack:
        stack.enter_context(lab.admitted("gw-1"))
        provision.add(lab.folder, ("late",))

        def admitted(user: str, password: str) -> bool:
            with lab.client(user, password=password, name="try") as client:
                return client.connected.get(timeout=PATIENCE) == 0

        password = lab.password("late")
        eventually(lambda: admitted("late", password), "an agent that was added")
        provision.remove(lab.folder, ("late",))
        eventually(
            lambda: not admitted("late", password), "the refusal of an agent that was removed"
        )
        assert admitted("gw-1", lab.password("gw-1"))


def test_files_are_for_their_owner_alone(lab: Lab) -> None:
    public = {lab.folder.ca_certificate}
    paths = [lab.folder.path, *lab.folder.path.rglob("*")]
    assert len(paths) > 10
    for path in paths:
        mode = stat.S_IMODE(path.stat().st_mode)
        wanted = 0o700 if path.is_dir() else 0o644 if path in public else 0o600
        assert mode == wanted, path


def _secrets(lab: Lab) -> list[bytes]:
    passwords = [lab.password(path.name).encode() for path in lab.folder.passwords.iterdir()]
    keys = [
        line
        for path in (lab.folder.ca_key, lab.folder.server)
        for line in path.read_bytes().rpartition(b"-----BEGIN")[2].splitlines()[1:-1]
    ]
    assert len(passwords) >= 3
    assert len(keys) >= 4
    return passwords + keys


def test_no_secret_stands_in_a_log_or_a_configuration(lab: Lab) -> None:
    with lab.admitted("gw-1") as agent:
        agent.publish("bitarm/v2/run/gw-1/report", b"x")
    places = [
        lab.log,
        lab.folder.configuration,
        lab.folder.settings,
        lab.folder.access,
        lab.folder.accounts,
        lab.folder.ca_certificate,
    ]
    for secret in _secrets(lab):
        for place in places:
            assert secret not in place.read_bytes(), place


def test_no_secret_stands_in_the_list_of_processes(lab: Lab) -> None:
    secrets = _secrets(lab)
    seen = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes()
            environment = (process / "environ").read_bytes()
        except OSError:
            continue  # ended meanwhile, or another user's
        seen += str(lab.folder.path).encode() in words
        assert not any(secret in words or secret in environment for secret in secrets), words
    assert seen >= 2  # the command and Mosquitto itself
