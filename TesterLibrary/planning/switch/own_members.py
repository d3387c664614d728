# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The names that headers of a user's own have in the program of a switch."""

from __future__ import annotations

import re


def own_member(header: str) -> str:
    """The member of a header: `FabricTag` becomes own_fabric_tag. The program has no other such names."""
    return "own_" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", header).lower()


def own_field(name: str) -> str:
    """The member of a field. Without the prefix it could be a word of P4, such as type, key or state."""
    return f"f_{name}"
