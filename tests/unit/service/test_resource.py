# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`resources/service.resource` against a service: what its keywords do, and that no log has a token."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from robot.api import ExecutionResult
from robot.api.types import Secret

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.service.client import ServiceClient

from .served import JOB, ROOT, served

SUITE = Path(__file__).with_name("remote.robot")


def test_a_suite_uses_a_service_and_its_log_has_no_token(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(JOB)
    with served(tmp_path) as service:
        variables = {
            "URL": service.url,
            "TOKEN: Secret": service.tokens["alice"],
            "JOB": tmp_path / "job.yaml",
        }
        given = [word for name, value in variables.items() for word in ("--variable", f"{name}:{value}")]
        command = [sys.executable, "-m", "robot", "--loglevel", "TRACE", "--outputdir", str(tmp_path), *given]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_PROXY": "127.0.0.1"}
        subprocess.run([*command, str(SUITE)], env=environment, check=False, capture_output=True)
        assert service.user("bob").get("/v1/leases") == []
        token = service.tokens["alice"]
    result = ExecutionResult(tmp_path / "output.xml")
    assert {test.name: test.message for test in result.suite.all_tests if not test.passed} == {}
    for name in ("output.xml", "log.html"):
        assert token not in (tmp_path / name).read_text(encoding="utf-8")
    text = (tmp_path / "output.xml").read_text(encoding="utf-8")
    assert "POST /v1/leases → 201 Created" in text


def test_without_a_service_it_is_said_where_none_answers(tmp_path: Path) -> None:
    suite = tmp_path / "none.robot"
    suite.write_text(
        f"*** Settings ***\nResource    {ROOT}/resources/service.resource\n"
        "*** Test Cases ***\nNone\n    Open Service    http://127.0.0.1:1\n"
    )
    command = [sys.executable, "-m", "robot", "--output", str(tmp_path / "output.xml"), "--log", "NONE"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_PROXY": "127.0.0.1"}
    subprocess.run(
        [*command, "--report", "NONE", str(suite)], env=environment, check=False, capture_output=True
    )
    (test,) = ExecutionResult(tmp_path / "output.xml").suite.all_tests
    begin = "No service answers at http://127.0.0.1:1. Start `tester serve` there, or give its URL. "
    assert test.message.startswith(f"{begin}ConnectionError")


def test_a_token_is_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    client = ServiceClient()
    assert client.bearer_of(None) is None
    bearer = client.bearer_of(Secret("hush"))
    assert "hush" not in repr(bearer)
    with pytest.raises(TesterLibraryError, match="a token is given as a secret"):
        client.bearer_of("hush")
    monkeypatch.setattr("TesterLibrary.service.client._Secret", None)
    with pytest.raises(TesterLibraryError, match=r"pip install 'robotframework >= 7\.4'"):
        client.bearer_of("hush")


def test_times_are_numbers_of_requests() -> None:
    waits = ServiceClient().number_of_waits
    assert [waits(timedelta(seconds=s)) for s in (0.1, 10, 10.1, 600)] == [1, 1, 2, 60]
