"""The OpenAPI document is true: whatever is asked by it gets an answer that it describes."""

from pathlib import Path
from typing import Any

import pytest
import schemathesis
from dashboard.stores import identify_into, open_run_in
from hypothesis import HealthCheck, given, settings
from schemathesis import BaseSchema, Case
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from bitarm.dashboard.app import create_app

pytestmark = pytest.mark.slow


# Streams never end; test_streams.py reads them.
OPERATIONS = [
    (path, method)
    for path, methods in create_app(Path("nowhere")).openapi()["paths"].items()
    for method in methods
    if not path.endswith("/stream")
]
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
LOCAL = {"host": "localhost"}


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> BaseSchema:
    path = tmp_path_factory.mktemp("store") / "runs.sqlite"
    identify_into(path, seed=1)
    identify_into(path, seed=2, quantizer="quban", max_rounds=4)
    open_run_in(path, rounds=2)
    return schemathesis.openapi.from_asgi("/api/v1/openapi.json", create_app(path), headers=LOCAL)


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_no_question_breaks_the_api(document: BaseSchema, path: str, method: str) -> None:
    @given(case=document[path][method].as_strategy())
    @settings(max_examples=60, suppress_health_check=list(HealthCheck))
    def ask(case: Case[Any]) -> None:
        case.call_and_validate(headers=LOCAL, checks=CHECKS)

    ask()
