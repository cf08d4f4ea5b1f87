"""TLS to the broker: a run over it, and certificates that are not to be trusted."""

import datetime
import gc
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
import trustme
from brokers import PlainBroker

from bitarm.api.network.agent import run_agent
from bitarm.api.network.learner import run_learner
from bitarm.api.problem import parse_problem
from bitarm.errors import TransportError
from bitarm.runtime.broker_url import Broker
from bitarm.runtime.mqtt import MqttDriver
from bitarm.runtime.service import Endpoint, Publication
from bitarm.store import MemoryJournal

pytestmark = [
    pytest.mark.slow,
    # paho leaves the socket of a failed handshake to the garbage collector
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

_PROBLEM = parse_problem(
    "[problem]\nbounds = [0, 1]\n"
    '[[arm]]\nname = "low"\nagent = "gw"\nsource = "bernoulli"\nmean = 0.2\n'
    '[[arm]]\nname = "high"\nagent = "gw"\nsource = "bernoulli"\nmean = 0.8\n',
    Path(),
)


class Authority:
    """A private authority, and brokers with its certificates."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ca = trustme.CA()
        self.file = folder / "ca.pem"
        self._ca.cert_pem.write_to_path(self.file)
        self.brokers: list[PlainBroker] = []

    def broker(self, *, name: str = "localhost", expired: bool = False) -> Broker:
        past = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)
        home = self._folder / f"broker-{len(self.brokers)}"
        home.mkdir()
        _certify(home, self._ca.issue_cert(name, not_after=past if expired else None))
        lines = f"allow_anonymous true\nkeyfile {home}/key.pem\ncertfile {home}/cert.pem"
        broker = PlainBroker(home, lines=lines)
        broker.start()
        self.brokers.append(broker)
        return Broker(host="localhost", port=broker.port, tls=True, ca=self.file)

    def replace(self, *, by: trustme.CA | None = None) -> None:
        """The first broker goes, and one with a certificate of another authority takes its port."""
        self.brokers[0].kill()
        _certify(self._folder / "broker-0", (by or self._ca).issue_cert("localhost"))
        self.brokers[0].start()


def _certify(home: Path, server: trustme.LeafCert) -> None:
    server.private_key_pem.write_to_path(home / "key.pem")
    server.cert_chain_pems[0].write_to_path(home / "cert.pem")


@pytest.fixture
def authority(tmp_path: Path) -> Iterator[Authority]:
    made = Authority(tmp_path)
    yield made
    for broker in made.brokers:
        broker.kill()


def _fails(broker: Broker, folder: Path) -> str:
    with pytest.raises(TransportError) as caught:
        run_agent(
            _PROBLEM.for_agents(), agent="gw", name="lab", broker=broker, state=folder, patience=1.0
        )
    said = str(caught.value)
    del caught
    gc.collect()
    return said


def test_a_run_over_tls(authority: Authority, tmp_path: Path) -> None:
    broker = authority.broker()
    words = {"agent": "gw", "name": "lab", "broker": broker, "state": tmp_path}
    agent = threading.Thread(
        target=run_agent, args=(_PROBLEM.for_agents(),), kwargs=words, daemon=True
    )
    agent.start()
    end = run_learner(_PROBLEM, name="lab", broker=broker, journal=MemoryJournal(), seed=1)
    agent.join(30)
    assert end.result is not None
    assert end.result.best_arm_name == "high"


def test_a_certificate_that_has_expired(authority: Authority, tmp_path: Path) -> None:
    said = _fails(authority.broker(expired=True), tmp_path)
    assert "is not trusted: certificate has expired" in said


def test_a_certificate_for_another_host(authority: Authority, tmp_path: Path) -> None:
    said = _fails(authority.broker(name="elsewhere.example"), tmp_path)
    assert "Hostname mismatch" in said


def test_an_authority_that_nobody_named(authority: Authority, tmp_path: Path) -> None:
    named = authority.broker()
    said = _fails(Broker(host="localhost", port=named.port, tls=True), tmp_path)
    assert "is not trusted" in said
    assert "Give the authority that signed it (--ca)" in said


def test_a_file_of_an_authority_that_is_not_there(tmp_path: Path) -> None:
    broker = Broker(host="localhost", port=1, tls=True, ca=tmp_path / "none.pem")
    assert "the certificate authority" in _fails(broker, tmp_path)


def test_plain_where_tls_is_wanted_and_tls_where_it_is_not(
    authority: Authority, broker: PlainBroker, tmp_path: Path
) -> None:
    hidden = authority.broker()
    plain = Broker(host="localhost", port=hidden.port, tls=False)
    assert "does it want mqtts://?" in _fails(plain, tmp_path)
    tls = Broker(host="127.0.0.1", port=broker.port, tls=True, ca=authority.file)
    assert "is it an mqtt:// port?" in _fails(tls, tmp_path)


class _Guest:
    """Is connected twice; in between, somebody else answers in the broker's place."""

    def __init__(self, authority: Authority, log: pytest.LogCaptureFixture) -> None:
        self.endpoint = Endpoint(
            client_id="guest", subscriptions=("x",), will=Publication(topic="x", payload=b"")
        )
        self._authority, self._log = authority, log
        self._times, self._is_right = 0, True
        self.finished = False

    def connected(self, now: float) -> None:
        self._times += 1
        self.finished = self._times == 2

    def disconnected(self, now: float) -> None:
        """Tries again."""

    def received(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        """Nothing."""

    def step(self, now: float) -> Iterable[Publication]:
        if self._times == 1 and self._is_right and not self._log.text:
            self._authority.replace(by=trustme.CA())
            self._is_right = False
        elif not self._is_right and "goes on trying: the certificate" in self._log.text:
            self._authority.replace()
            self._is_right = True
        return ()

    def wake_at(self, now: float) -> float:
        return now + 0.2


def test_an_impostor_does_not_end_who_was_connected_before(
    authority: Authority, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor does a certificate that expires: whoever renews it has everybody back."""
    guest = _Guest(authority, caplog)
    driver = MqttDriver(guest, authority.broker(), clock=lambda: time.monotonic() * 5)
    driver.run()
    driver.close()
    assert guest.finished
    assert "and goes on trying: the certificate of mqtts://localhost" in caplog.text
    gc.collect()
