"""Who may look: token, host names, headers."""

from pathlib import Path

import pytest
from dashboard.conftest import client_of

from bitarm.dashboard.guard import COOKIE, POLICY, is_loopback

TOKEN = "a-secret-of-thirty-two-characters"
PATHS = (
    "/",
    "/runs/1",
    "/compare",
    "/api/v1/store",
    "/api/v1/runs",
    "/api/v1/runs/1",
    "/api/v1/runs/stream",
    "/api/v1/runs/1/stream",
    "/api/v1/openapi.json",
    "/api/v1/nothing",
    "/elsewhere",
)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer wrong"},
        {"authorization": TOKEN},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": "Bearer ü"},
        {"cookie": f"{COOKIE}={TOKEN}"},
    ],
    ids=["none", "wrong", "no scheme", "other scheme", "not ASCII", "token as cookie"],
)
def test_without_the_token_there_is_no_data(
    decided_store: Path, path: str, headers: dict[str, str]
) -> None:
    with client_of(decided_store, TOKEN) as client:
        raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        response = client.get(path, headers=raw)
    assert response.status_code == 401
    for secret in ("north", "53be", str(decided_store), TOKEN):
        assert secret not in response.text


def test_the_token_opens_everything(decided_store: Path) -> None:
    with client_of(decided_store, TOKEN) as client:
        bearer = {"authorization": f"Bearer {TOKEN}"}
        assert client.get("/api/v1/runs", headers=bearer).json()["total"] == 3


def test_a_browser_signs_in_and_keeps_a_cookie_that_is_not_the_token(decided_store: Path) -> None:
    with client_of(decided_store, TOKEN) as client:
        wrong = client.post("/sign-in", data={"token": "wrong"})
        assert (wrong.status_code, dict(wrong.cookies)) == (401, {})
        right = client.post("/sign-in", data={"token": TOKEN}, follow_redirects=False)
        assert (right.status_code, right.headers["location"]) == (303, "/")
        cookie = right.headers["set-cookie"]
        assert TOKEN not in cookie
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert client.get("/api/v1/runs").status_code == 200
        assert client.get("/api/v1/runs", headers={"host": "elsewhere.example"}).status_code == 200


@pytest.mark.parametrize("host", ["localhost", "localhost:8370", "127.0.0.1:1", "[::1]:8370"])
def test_loopback_names_are_answered(decided_store: Path, host: str) -> None:
    with client_of(decided_store) as client:
        assert client.get("/api/v1/runs", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8370", "localhost.evil.example", "10.0.0.1", "[::2]", ""]
)
def test_a_name_that_was_made_to_point_here_gets_nothing(decided_store: Path, host: str) -> None:
    with client_of(decided_store) as client:
        for path in ("/", "/api/v1/runs"):
            response = client.get(path, headers={"host": host})
            assert response.status_code == 421
            assert "north" not in response.text


@pytest.mark.parametrize("path", ["/", "/api/v1/runs", "/assets/base.css", "/elsewhere"])
def test_every_answer_carries_the_policy(decided_store: Path, path: str) -> None:
    with client_of(decided_store) as client:
        headers = client.get(path).headers
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert "unsafe" not in POLICY
    assert POLICY.startswith("default-src 'none'")


def test_assets_cannot_be_left(decided_store: Path) -> None:
    with client_of(decided_store) as client:
        for path in ("/assets/../app.py", "/assets/%2e%2e/app.py", "/assets/..%2fapp.py"):
            assert client.get(path).status_code == 404


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST.", "127.8.9.1", "::1"])
def test_what_can_only_mean_this_machine(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "example.org", ""])
def test_what_others_can_reach(host: str) -> None:
    assert not is_loopback(host)
