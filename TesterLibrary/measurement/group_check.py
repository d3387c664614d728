# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether a device forwards each of so many groups to their members, and to nobody else (RFC 3918 §7.1)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GroupCheck:
    """Every member joined so many groups, then frames were sent to each of them."""

    groups: int
    silent: int  # of which no frame arrived at the first member
    missing: int | None  # copies that are missing at other members; None: not counted for each of them
    leaked: int | None  # frames at ports that are no members; None: not counted
    ports: tuple[str, ...] = ()  # where these arrived, as far as the tester names them
    objections: tuple[str, ...] = ()  # why the tester did not do its part
    unclear: str = ""  # what may be frames of the groups at ports that are no members; empty if nothing may
    started_at: str = ""  # wall clock, ISO 8601 with zone, for the report only

    @property
    def all_forwarded(self) -> bool:
        """Whether each group reached its members, and only these."""
        return self._found_no_fault and not self.unclear

    @property
    def _found_no_fault(self) -> bool:
        return self.silent == 0 and self.missing == 0 and self.leaked == 0

    @property
    def doubt(self) -> str:
        """Why a check that failed does not show that the device cannot hold so many; empty if it does."""
        if self.leaked is None:
            return "the tester does not count frames that arrive at other ports"
        if self.missing is None:
            return "the tester counts the frames at the other members together"
        unclear = self.unclear if self._found_no_fault else ""  # other faults are faults in any case
        return "; ".join(filter(None, (*self.objections, unclear)))

    def __str__(self) -> str:
        def text(count: int | None) -> str:
            return "not counted" if count is None else f"{count:,}"

        found = f"{self.groups:,} groups: {self.silent:,} silent, {text(self.missing)} copies missing"
        found += f", {text(self.leaked)} frames leaked{' at ' if self.ports else ''}{', '.join(self.ports)}"
        found += f"; {self.unclear}" if self.unclear else ""
        return f"{found} ({'; '.join(self.objections)})" if self.objections else found
