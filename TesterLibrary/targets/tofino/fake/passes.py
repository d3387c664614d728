# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The pipelines of a fake chip, in Python: what p4/external.p4 and p4/internal.p4 do with a packet."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ....planning.switch.chip import pipe_of
from .copy import Copy
from .digests import Digests
from .external import External
from .pace import Pace
from .packet import Packet
from .pipelines import READ, TEMPLATE, Inside, Left, Mirrored, Way
from .replying import Actions
from .responder import FakeResponder
from .store import Store, number
from .streams import FakeStreamUnits

_TEMPLATES = "internal.InternalIngress.template_loop.templates"
_Packet = Packet | Copy
_GROUPS = "internal.InternalIngress.replicator.groups"


class FakePipelines:
    """The pipelines of the program, as far as its tables and registers show."""

    def __init__(
        self, store: Store, actions: Actions, digests: Digests, pace: Pace, random: Callable[[], int]
    ) -> None:
        self._store = store
        self._external = External(store, actions, digests)
        self._streams = FakeStreamUnits(store, pace, random)
        self._responder = FakeResponder(store, actions)

    def ingress(self, port: int, octets: bytes, now_ns: int) -> Iterable[Way[_Packet] | Mirrored[_Packet]]:
        """See `Pipelines`."""
        return self._external.ingress(port, octets, now_ns)

    def egress(self, packet: _Packet, port: int, now_ns: int) -> Left[_Packet]:
        """See `Pipelines`."""
        return self._external.egress(packet, port, now_ns)

    def inside(self, packet: _Packet, port: int, now_ns: int) -> Inside[_Packet]:
        """See `Pipelines`."""
        assert isinstance(packet, Packet), "no copy goes to a loopback port"
        pipe = pipe_of(port)
        if packet.kind == TEMPLATE:
            return self._round(packet, port, pipe, now_ns)
        if packet.kind == READ:
            return Inside(self._responder.first_pass(packet, pipe))
        self._responder.second_pass(packet, pipe)
        return Inside()

    def changed(self, tables: Iterable[str]) -> None:
        """See `Pipelines`. The store tells it."""

    def _round(self, template: Packet, port: int, pipe: int, now_ns: int) -> Inside[_Packet]:
        due = self._streams.due(pipe, template.template, now_ns)
        entry = self._store.match(_TEMPLATES, template.template)
        if entry is None:
            return Inside()
        again = Way(template, port)
        leaves: Packet | None = None
        if str(entry.action).endswith(".reply"):
            leaves = self._responder.answer(template, pipe, number(entry, "own"))
        elif self._streams.departs(pipe, template.template, due=due):
            leaves = template.copy()
            self._streams.edit(leaves, pipe)
        if leaves is None:
            return Inside(again)
        leaves.deparse()
        group = self._store.match(_GROUPS, leaves.template, leaves.link)
        return Inside(again, leaves, number(group, "group")) if group else Inside(again)
