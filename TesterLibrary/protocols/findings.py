# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What a checker says about a protocol file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..document import did_you_mean


@dataclass(frozen=True, order=True)
class Finding:
    """One thing that is wrong, with what is allowed instead."""

    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """A finding's text: there is no such thing."""
    known = list(known)
    return f"there is no {kind} {name!r}{did_you_mean(name, known)}; there are {', '.join(known) or 'none'}"
