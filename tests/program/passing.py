# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""One packet on its way through one gress: what its controls find and leave beside their own values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from TesterLibrary.targets.tofino.entries.entry import TableEntry
from TesterLibrary.targets.tofino.fake.store import Store
from TesterLibrary.targets.tofino.session.switch import Digest

GREEN, RED = 0, 3  # what a meter says


@dataclass
class Passing:
    """A packet in a gress."""

    store: Store
    pipe: int
    size: int  # bytes that counters count, FCS included
    port_metadata: Mapping[str, int] = field(default_factory=dict)
    color: int = GREEN
    random: Callable[[], int] = lambda: 0  # of 32 bits
    entry: tuple[str, TableEntry] | None = None  # that the last table hit, and the table
    digests: list[Digest] = field(default_factory=list)
    mirrored: list[tuple[int, bytes]] = field(default_factory=list)  # sessions, and headers of copies
