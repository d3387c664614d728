# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester info`: versions, the machine, and where things are."""

from __future__ import annotations

import argparse

from ..errors import TesterLibraryError
from ..files import paths
from ..reporting.allure import report as allure_report
from ..reporting.record.machine import describe_machine, versions
from ._command import command


@command("info", help="versions, machine, engine, and where things are")
def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_info)


def _info(_: argparse.Namespace) -> int:
    try:
        report_tool = str(allure_report.command())
    except TesterLibraryError:
        report_tool = "missing"
    facts = {
        **versions(),
        **describe_machine(),
        "engine": paths.engine() or "this installation was built without one",
        "allure": report_tool,
        "suites": paths.suite_root(),
        "resources": paths.data_root() / "resources",
        "profiles": ", ".join(paths.names("criteria/profiles")),
    }
    for name, value in facts.items():
        print(f"{name:<30} {value}")
    return 0
