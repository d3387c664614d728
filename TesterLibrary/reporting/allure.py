# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Attachments for Allure, while Robot runs."""

from __future__ import annotations

import sys

_TYPES = {
    "json": "application/json",
    "html": "text/html",
    "svg": "image/svg+xml",
    "pcapng": "application/vnd.tcpdump.pcap",
}


def attach(name: str, content: str | bytes, kind: str) -> None:
    """Adds an attachment to the current test, if Allure listens; `kind` is json, html, svg or pcapng."""
    manager = sys.modules.get("allure_commons")
    if manager is None:  # Allure's listener is not loaded
        return
    if manager.plugin_manager.get_plugins():
        manager.plugin_manager.hook.attach_data(
            body=content, name=name, attachment_type=_TYPES[kind], extension=kind
        )
