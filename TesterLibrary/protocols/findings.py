# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The findings of the checker about a protocol file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..errors import did_you_mean


@dataclass(frozen=True, order=True)
class Finding:
    """A mistake in a protocol file, with what is allowed instead."""

    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """The text of a finding: there is no thing with this name."""
    known = list(known)
    return f"there is no {kind} {name!r}{did_you_mean(name, known)}; there are {', '.join(known) or 'none'}"
