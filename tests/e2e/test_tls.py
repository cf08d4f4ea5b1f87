"""TLS to the broker: a run over it, and certificates that are not to be trusted."""

import datetime
import gc
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
from brokers import PlainBroker

from bitarm.api.network import run_agent, run_learner
from bitarm.api.problem import parse_problem
from bitarm.errors import TransportError
from bitarm.runtime.broker_url import Broker
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
        server = self._ca.issue_cert(name, not_after=past if expired else None)
        home = self._folder / f"broker-{len(self.brokers)}"
        home.mkdir()
        server.private_key_pem.write_to_path(home / "key.pem")
        server.cert_chain_pems[0].write_to_path(home / "cert.pem")
        lines = f"allow_anonymous true\nkeyfile {home}/key.pem\ncertfile {home}/cert.pem"
        broker = PlainBroker(home, lines=lines)
        broker.start()
        self.brokers.append(broker)
        return Broker(host="localhost", port=broker.port, tls=True, ca=self.file)


@pytest.fixture
def authority(tmp_path: Path) -> Iterator[Authority]:
    made = Authority(tmp_path)
    yield made
    for broker in made.brokers:
        broker.kill()


def _fails(broker: Broker, folder: Path) -> str:
    with pytest.raises(TransportError) as caught:
        run_agent(_PROBLEM, agent="gw", name="lab", broker=broker, state=folder, patience=1.0)
    said = str(caught.value)
    del caught
    gc.collect()
    return said


def test_a_run_over_tls(authority: Authority, tmp_path: Path) -> None:
    broker = authority.broker()
    words = {"agent": "gw", "name": "lab", "broker": broker, "state": tmp_path}
    agent = threading.Thread(target=run_agent, args=(_PROBLEM,), kwargs=words, daemon=True)
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


def test_plain_where_tls_is_wanted_and_tls_where_it_is_not(
    authority: Authority, broker: PlainBroker, tmp_path: Path
) -> None:
    hidden = authority.broker()
    plain = Broker(host="localhost", port=hidden.port, tls=False)
    assert "does it want mqtts://?" in _fails(plain, tmp_path)
    tls = Broker(host="127.0.0.1", port=broker.port, tls=True, ca=authority.file)
    assert "is it an mqtt:// port?" in _fails(tls, tmp_path)
