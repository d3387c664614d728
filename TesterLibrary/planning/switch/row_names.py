# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of keys and actions in a table of rows, for the code that generates it and the code that fills it."""

from __future__ import annotations

from ...model.protocol import Protocol


def row_key(quantity: str) -> str:
    """The key for a quantity: `TCP.flags` becomes tcp_flags."""
    return quantity.lower().replace(".", "_")


def reply_action(protocol: Protocol, number: int) -> str:
    """The action of the reply with this number, from 0: it sends the packet in hand back."""
    return f"{protocol.name.replace('-', '_')}_reply_{number}"


def row_action(protocol: Protocol, template: str) -> str:
    """The action of a row that sends a template."""
    return f"{protocol.name.replace('-', '_')}_{template}"
