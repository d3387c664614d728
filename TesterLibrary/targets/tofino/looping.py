# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries of the controls TemplateLoop, Replicator, Restoration and Version (p4/controls): what loops, by
which ports copies leave, with which Ethernet addresses and in which version.
"""

from __future__ import annotations

from collections.abc import Iterator

from .entry import Entry, Masked
from .switch import Asked

_LOOP = "InternalIngress.template_loop"
_COPIES = "InternalIngress.replicator"
_LINKS = "ExternalEgress.restoration"
_VERSION = "ExternalEgress.version"


def stream_loop(template: int) -> Entry:
    """A template of a stream goes round, and departs at its rate."""
    return Entry(f"internal.{_LOOP}.templates", {"template": template}, f"{_LOOP}.stream")


def rounds_asked(template: int) -> Asked:
    """What to read of a template that goes round."""
    return Asked(f"internal.{_LOOP}.templates", {"template": template})


def answer_loop(template: int, queue: int) -> Entry:
    """A template that answers goes round, and departs when its queue has something to answer."""
    return Entry(f"internal.{_LOOP}.templates", {"template": template}, f"{_LOOP}.reply", {"own": queue})


def copies(template: int, group: int, link: int | None = None) -> Entry:
    """A copy leaves by the ports of a multicast group: all of a template, or those that answer by a link."""
    key = {"template": template, "$MATCH_PRIORITY": 0}
    return Entry(
        f"internal.{_COPIES}.groups",
        key if link is None else {**key, "link": Masked(link, 0xFF)},
        f"{_COPIES}.copy",
        {"group": group},
    )


def link_addresses(link: int, port: int, destination: bytes, source: bytes) -> Entry:
    """Frames of a link leave by a device port with these addresses."""
    return Entry(
        f"external.{_LINKS}.links",
        {"link": link, "egress_port": port},
        f"{_LINKS}.addresses",
        {"dst": int.from_bytes(destination, "big"), "src": int.from_bytes(source, "big")},
    )


def link_to_peer(link: int, port: int, source: bytes) -> Entry:
    """Answers of a link leave by a device port, to whoever asked."""
    return Entry(
        f"external.{_LINKS}.links",
        {"link": link, "egress_port": port},
        f"{_LINKS}.to_peer",
        {"src": int.from_bytes(source, "big")},
    )


def versions(templates: Iterator[int] | range | tuple[int, ...], version: int) -> Iterator[Entry]:
    """Frames of streams are counted in a version from now on, and carry it where they can."""
    for template in templates:
        yield Entry(
            f"external.{_VERSION}.versions", {"stream": template}, f"{_VERSION}.measure", {"own": version}
        )
