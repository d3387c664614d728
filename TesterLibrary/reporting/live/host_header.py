# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The header Host of a request: a foreign page reaches a server by a name that leads here (DNS rebinding)."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection


def is_own_host(host: str | None, names: Collection[str]) -> bool:
    """Whether a Host header has an address or one of these names, and not a name that somebody else made."""
    name = (host or "").strip().lower()
    name = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name in names
    return True
