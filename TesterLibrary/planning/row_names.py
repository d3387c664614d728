# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What keys and actions of a table of rows are called: where it is generated and where it is filled."""

from __future__ import annotations

from ..model.protocol import Protocol


def row_key(quantity: str) -> str:
    """`TCP.flags` becomes tcp_flags."""
    return quantity.lower().replace(".", "_")


def reply_action(protocol: Protocol, number: int) -> str:
    """Of a row that sends the packet in hand back, the one of this number of those that do, from 0."""
    return f"{protocol.name.replace('-', '_')}_reply_{number}"


def row_action(protocol: Protocol, template: str) -> str:
    """Of a row that sends a template."""
    return f"{protocol.name.replace('-', '_')}_{template}"
