# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The ports of a testbed, and the texts by which clients name them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...model.ports import Port


@dataclass(frozen=True)
class Laboratory:
    """The ports of a tester."""

    ports: Mapping[str, Port]
    interfaces: Mapping[str, str] = field(default_factory=dict)  # names of ports by those of their interfaces
    virtual: frozenset[str] = frozenset()  # ports whose link has no speed of its own
    locations: Mapping[str, str] = field(default_factory=dict)  # names of ports by what clients call them

    def port_at(self, location: str) -> str | None:
        """The name of the port that a client means; None if it is none of them."""
        if location in self.locations:
            return self.locations[location]
        return location if location in self.ports else self.interfaces.get(location)

    @property
    def allowed(self) -> str:
        """The locations that can be given."""
        return ", ".join(dict.fromkeys((*self.locations, *self.ports, *self.interfaces)))
