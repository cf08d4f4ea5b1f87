"""What carries a service of either side to a broker, until it has ended or is stopped."""

from collections.abc import Callable
from signal import Signals

from bitarm.api.extras import require
from bitarm.runtime.broker_url import Broker
from bitarm.runtime.service import Publication, Service
from bitarm.runtime.signals import Stopper

PATIENCE = 15.0
"""Seconds to try for a first connection."""


def drive(
    service: Service,
    broker: Broker,
    patience: float,
    stop: Callable[[Signals], tuple[Publication, ...]] | None,
) -> None:
    """Run a service; the first signal is handed to `stop`, a second one ends everything.

    Of a service that breaks the broker is to say that it is gone, as of one that was killed: what
    it had said of itself last is not true any more.
    """
    require("paho.mqtt.client", extra="net", what="a run over a broker")
    from bitarm.runtime.mqtt import MqttDriver

    driver = MqttDriver(service, broker, patience=patience)
    leave = driver.hang_up
    try:
        with Stopper() as stopper:
            driver.run(stopper)
            if stopper.received is not None:
                if stop is None:
                    raise KeyboardInterrupt
                driver.publish(stop(stopper.received))
                driver.run()
        leave = driver.close
    finally:
        leave()
