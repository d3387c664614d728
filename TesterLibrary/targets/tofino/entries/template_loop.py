# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries of the controls TemplateLoop, Replicator, Restoration and Version (p4/controls): the templates that
loop, the ports by which copies leave, their Ethernet addresses and their version.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..session.switch import Asked
from .entry import Masked, TableEntry

_LOOP = "InternalIngress.template_loop"
_COPIES = "InternalIngress.replicator"
_LINKS = "ExternalEgress.restoration"
_VERSION = "ExternalEgress.version"
_HIGH = 2  # bytes of an address that stay where its others change


def stream_loop(template: int) -> TableEntry:
    """The entry that lets a stream's template loop, and depart at its rate."""
    return TableEntry(f"internal.{_LOOP}.templates", {"template": template}, f"{_LOOP}.stream")


def rounds_asked(template: int) -> Asked:
    """The entry to read for the rounds of a template."""
    return Asked(f"internal.{_LOOP}.templates", {"template": template})


def answer_loop(template: int, queue: int) -> TableEntry:
    """The entry that lets an answering template loop, and depart when its queue has something to answer."""
    return TableEntry(f"internal.{_LOOP}.templates", {"template": template}, f"{_LOOP}.reply", {"own": queue})


def copies(template: int, group: int, link: int | None = None) -> TableEntry:
    """The entry that sends copies to a multicast group: all of a template, or those that answer by a link."""
    key = {"template": template, "$MATCH_PRIORITY": 0}
    return TableEntry(
        f"internal.{_COPIES}.groups",
        key if link is None else {**key, "link": Masked(link, 0xFF)},
        f"{_COPIES}.copy",
        {"group": group},
    )


def link_addresses(link: int, port: int, destination: bytes, source: bytes) -> TableEntry:
    """The entry that gives frames of a link these addresses when they leave by a device port."""
    return _link(link, port, "addresses", dst=destination, src=source)


def link_to_peer(link: int, port: int, source: bytes) -> TableEntry:
    """The entry that addresses answers of a link, which leave by a device port, to the asking station."""
    return _link(link, port, "to_peer", src=source)


def link_own_source(link: int, port: int, destination: bytes, source: bytes) -> TableEntry:
    """The entry that sends frames of a link, which leave by a device port, from addresses of their own."""
    return _link(link, port, "own_source", dst=destination, src_high=source[:_HIGH])


def link_own_addresses(link: int, port: int, destination: bytes, source: bytes) -> TableEntry:
    """The entry that gives frames of a link, which leave by a device port, two addresses of their own."""
    return _link(link, port, "own_addresses", dst_high=destination[:_HIGH], src_high=source[:_HIGH])


def _link(link: int, port: int, action: str, **addresses: bytes) -> TableEntry:
    data = {name: int.from_bytes(address, "big") for name, address in addresses.items()}
    return TableEntry(
        f"external.{_LINKS}.links", {"link": link, "egress_port": port}, f"{_LINKS}.{action}", data
    )


def versions(templates: Iterator[int] | range | tuple[int, ...], version: int) -> Iterator[TableEntry]:
    """Entries that count frames of streams in a version, which frames carry if they have the bit."""
    for template in templates:
        yield TableEntry(
            f"external.{_VERSION}.versions", {"stream": template}, f"{_VERSION}.measure", {"own": version}
        )
