# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The place of the bit that says in which interval a frame left (norma §6.1), if the author chooses one."""

from __future__ import annotations

from dataclasses import dataclass

from .editor import FieldPath


@dataclass(frozen=True)
class VersionField:
    """One bit of a field of the headers."""

    path: FieldPath
    bit: int | None = None  # from the lowest, 0; None: the highest

    def __str__(self) -> str:
        return str(self.path) if self.bit is None else f"bit {self.bit} of {self.path}"
