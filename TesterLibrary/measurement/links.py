# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Links of a tester's ports that were down while something was measured."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from .snapshot import PortCounters, Snapshot


def links_down(before: Snapshot, after: Snapshot, ports: Collection[str]) -> tuple[str, ...]:
    """Names of ports whose link was down at one of two snapshots, or was lost between them."""
    return tuple(name for name in sorted(ports) if _was_down(before.port(name), after.port(name)))


def link_objection(down: Collection[str], most: int) -> Iterator[str]:
    """Why what was measured is not to be trusted: the links of more ports than so many were down."""
    if len(down) > most:
        yield f"the link of {' and of '.join(down)} was down" + (f" (limit {most} ports)" if most else "")


def _was_down(before: PortCounters, after: PortCounters) -> bool:
    lost = before.link_downs is not None and after.link_downs != before.link_downs
    return lost or False in (before.link_up, after.link_up)
