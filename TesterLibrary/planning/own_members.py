# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What headers of a user's own are called in the program of a switch."""

from __future__ import annotations

import re


def own_member(header: str) -> str:
    """`FabricTag` becomes own_fabric_tag: no header or state of the program begins so."""
    return "own_" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", header).lower()


def own_field(name: str) -> str:
    """With a prefix, because words of P4 are names of fields elsewhere: type, key, state."""
    return f"f_{name}"
