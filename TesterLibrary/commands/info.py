# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester info`: versions, the machine, and where things are; the ports of a tester that runs."""

from __future__ import annotations

import argparse
from contextlib import closing

from ..errors import TesterLibraryError
from ..files import paths
from ..reporting.allure import report as allure_report
from ..reporting.record.machine import describe_machine, versions
from ._command import command
from ._running_tester import running_tester


@command("info", help="versions, machine, engine, and where things are")
def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "testbed",
        nargs="?",
        help="name or file of a testbed whose tester has an address: show its ports, queues and CPUs",
    )
    parser.set_defaults(run=_info)


def _info(options: argparse.Namespace) -> int:
    if options.testbed is not None:
        return _ports(options.testbed)
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


def _ports(testbed: str) -> int:
    with closing(running_tester(testbed)) as target:
        capabilities = target.capabilities()
    print(capabilities.details)
    for port in capabilities.ports:
        print(f"{port.name:<30} {port.driver}")
        for queue, cpu in enumerate(port.queue_cpus):
            print(f"{'':<30} queue {queue}: CPU {cpu}")
    return 0
