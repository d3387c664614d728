# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The way to the Allure report tool, and what is said when it leads nowhere."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from allure_commons import plugin_manager
from allure_commons.lifecycle import AllureLifecycle
from allure_robotframework.allure_listener import AllureListener

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.reporting.allure import attachments as allure
from TesterLibrary.reporting.allure import report as allure_report
from TesterLibrary.reporting.record.records import Records

RECORDS = Records({"id": "1", "started_at": "2026-01-02T03:04:05+00:00", "testers": []})
PAGE = (
    '<script async src="https://www.googletagmanager.com/gtag/js?id=G-0"></script>\n'
    "<script>\nfunction gtag(){}\ngtag('config');\n</script><p>the report</p>"
)


def tool(folder: Path, script: str) -> Path:
    """A report tool that does what a shell script says; `$6` is the folder it writes to."""
    path = folder / "allure"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "allure-results"
    folder.mkdir()
    (folder / "1-result.json").write_text("{}")
    return folder


def test_a_missing_tool_is_an_error_that_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.delenv(allure_report.COMMAND_VARIABLE, raising=False)
    with pytest.raises(TesterLibraryError, match=r"missing.*tools/allure\.py.*npm install.*TESTER_ALLURE"):
        allure_report.command()


def test_the_named_tool_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tool(tmp_path, "exit 0")
    monkeypatch.setenv(allure_report.COMMAND_VARIABLE, str(path))
    assert allure_report.command() == path


def test_no_results_no_report(tmp_path: Path) -> None:
    with pytest.raises(TesterLibraryError, match="holds no Allure results"):
        allure_report.generate(tmp_path, tmp_path / "report", title="Title", records=RECORDS)


def test_the_report_does_not_phone_home(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "page").write_text(PAGE)
    path = tool(tmp_path, f'mkdir "$6" && cp {tmp_path}/page "$6/index.html"')
    monkeypatch.setenv(allure_report.COMMAND_VARIABLE, str(path))
    made = allure_report.generate(results, tmp_path / "report", title="Title", records=RECORDS)
    assert made.read_text() == "<p>the report</p>"


def test_a_tool_that_fails_leaves_the_older_report(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = tmp_path / "report" / "index.html"
    older.parent.mkdir()
    older.write_text("older")
    path = tool(tmp_path, "echo no memory >&2; exit 7")
    monkeypatch.setenv(allure_report.COMMAND_VARIABLE, str(path))
    with pytest.raises(TesterLibraryError, match="failed: no memory"):
        allure_report.generate(results, tmp_path / "report", title="Title", records=RECORDS)
    assert older.read_text() == "older"


def test_nobody_listens_nobody_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "allure_commons", raising=False)
    allure.attach("trials.csv", "", "csv")
    assert "allure_commons" not in sys.modules


def test_results_on_two_testbeds_are_two_histories() -> None:
    """Allure shows the last result of a history: that of one device would replace that of the other."""
    histories = {}
    for testbed in ("north", "south"):
        listener = AllureListener(AllureLifecycle())
        plugin_manager.register(listener)
        try:
            listener.start_test("Loss", {"longname": "Suite.Loss"})
            allure.set_testbed(testbed)
            with listener.lifecycle.update_test_case() as result:
                histories[testbed] = result.historyId
                assert [(found.name, found.value) for found in result.parameters] == [("testbed", testbed)]
        finally:
            plugin_manager.unregister(listener)
    assert len(set(histories.values())) == 2
    allure.set_testbed("nobody listens")
