"""Events as ChirpStack v4 documents them, for any device and data."""

import base64
import json
from typing import Any

APPLICATION = "17c82e96-be03-4f38-aef3-f83d48582d97"


def _event(device: str, **words: Any) -> bytes:
    info = {
        "tenantId": "52f14cd4-c6f1-4fbd-8f87-4025e1d49242",
        "tenantName": "ChirpStack",
        "applicationId": APPLICATION,
        "applicationName": "bitarm",
        "deviceProfileId": "14855bf7-d10d-4aee-b618-ebfcb64dc7ad",
        "deviceProfileName": "class A",
        "deviceName": f"device {device}",
        "devEui": device,
        "tags": {"site": "north"},
    }
    plain = {"time": "2026-01-01T09:34:15.775023242+00:00", "deviceInfo": info, **words}
    return json.dumps(plain).encode()


def topic(device: str, kind: str) -> str:
    """Where ChirpStack publishes an event of a device."""
    return f"application/{APPLICATION}/device/{device}/event/{kind}"


def up(device: str, data: bytes, port: int = 66) -> bytes:
    """A device sent something."""
    return _event(
        device,
        deduplicationId="3ac7e3c4-4401-4b8d-9386-a5c902f9202d",
        devAddr="00189440",
        adr=True,
        dr=0,
        fCnt=7,
        fPort=port,
        confirmed=False,
        data=base64.b64encode(data).decode(),
        rxInfo=[
            {"gatewayId": "0016c001f153a14c", "uplinkId": 4217106255, "rssi": -36, "snr": 10.5}
        ],
        txInfo={
            "frequency": 867100000,
            "modulation": {
                "lora": {"bandwidth": 125000, "spreadingFactor": 12, "codeRate": "CR_4_5"}
            },
        },
    )


def join(device: str) -> bytes:
    """A device joined the network."""
    return _event(
        device, deduplicationId="c9dbe358-2578-4fb7-b295-66b44edc45a6", devAddr="00189440"
    )


def txack(device: str, item: str) -> bytes:
    """A gateway took a downlink over."""
    return _event(
        device, downlinkId=3461958127, queueItemId=item, fCntDown=2, gatewayId="0016c001f1"
    )


def ack(device: str, item: str) -> bytes:
    """A device acknowledged a confirmed downlink."""
    return _event(
        device,
        deduplicationId="c9dbe358-2578-4fb7-b295-66b44edc45a6",
        queueItemId=item,
        acknowledged=True,
        fCntDown=2,
    )


def error(device: str) -> bytes:
    """ChirpStack dropped a downlink."""
    return _event(device, level="ERROR", code="DOWNLINK_PAYLOAD_SIZE", description="too large")
