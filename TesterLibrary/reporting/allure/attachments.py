# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Attachments and parameters for Allure, while Robot runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

_TYPES = {
    "csv": "text/csv",
    "html": "text/html",
    "svg": "image/svg+xml",
    "pcapng": "application/vnd.tcpdump.pcap",
}


def attach(name: str, content: str | bytes, kind: str) -> None:
    """Adds an attachment to the current test, if Allure listens; `kind` is csv, html, svg or pcapng."""
    manager = sys.modules.get("allure_commons")
    if manager is None:  # Allure's listener is not loaded
        return
    if manager.plugin_manager.get_plugins():
        manager.plugin_manager.hook.attach_data(
            body=content, name=name, attachment_type=_TYPES[kind], extension=kind
        )


def set_testbed(testbed: str) -> None:
    """Gives the result of the current test its testbed, if Allure listens.

    Allure shows the last one of all results of one history: those of a suite on two testbeds are of two.
    """
    for lifecycle in _lifecycles():
        from allure_commons.model2 import Parameter
        from allure_commons.utils import md5

        with lifecycle.update_test_case() as result:
            if result is not None:
                result.parameters.append(Parameter(name="testbed", value=testbed))
                result.historyId = md5(result.testCaseId, testbed)  # type: ignore[no-untyped-call]


def _lifecycles() -> Iterator[Any]:
    """The results that Allure's listener of Robot collects; it has no hook for parameters."""
    manager = sys.modules.get("allure_commons")
    for plugin in manager.plugin_manager.get_plugins() if manager else ():
        if hasattr(getattr(plugin, "lifecycle", None), "update_test_case"):
            yield plugin.lifecycle
