# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes frames from templates, from the packet in hand, and from messages."""

from __future__ import annotations

from collections.abc import Callable

from ..model.action import Fields
from ..model.expression import Expression
from ..model.protocol import Protocol
from ..model.template import Template
from . import tcp_options
from .actions.sending import Transmit
from .flow import Flow
from .frame import Frame
from .packet import InHand
from .scope import layout_of
from .sending_loader import filled

Read = Callable[[str], int]
_SEQUENCE = (1 << 32) - 1
_HALF = 1 << 31


class Sender:
    """Collects the frames to send."""

    def __init__(self, protocol: Protocol) -> None:
        self._layers = protocol.layers
        self._flow_fields = tuple(name for key in protocol.layers[0].flow for name in key)
        self._opposite = {
            name: key[1 - index] if len(key) == 2 else name
            for key in protocol.layers[0].flow
            for index, name in enumerate(key)
        }
        self._templates = [
            {template.name: template for template in layer.templates} for layer in self._layers
        ]
        self._frames: list[bytes] = []

    def take(self) -> list[bytes]:
        """Returns the collected frames and forgets them."""
        frames, self._frames = self._frames, []
        return frames

    def opposite(self, name: str) -> str:
        """The field of arriving packets that holds the value of this field of sent packets."""
        return self._opposite.get(name, name)

    def reply(
        self,
        packet: InHand,
        read: Read,
        fields: Fields,
        swaps: tuple[tuple[str, str], ...],
        keep: Expression | None,
        append: bytes,
    ) -> None:
        """Sends the packet in hand back with changes; all values are read first."""
        values = {one: packet.frame.get(other) for pair in swaps for one, other in (pair, pair[::-1])}
        values |= {name: value.value(read) for name, value in fields}
        frame = packet.frame.copy()
        for name, value in values.items():
            frame.set(name, value)
        kept = len(frame.payload) if keep is None else max(0, keep.value(read))
        frame.payload = frame.payload[:kept] + append
        self._frames.append(frame.octets())

    def send(self, layer: int, template: str, flow: Flow, read: Read, payload: bytes = b"") -> None:
        """Sends a template with the flow's addresses and the values of its fields."""
        found: Template = self._templates[layer][template]
        body = b"" if found.body is None else filled(max(0, found.body.value(read)))
        frame = Frame.of(layout_of(found.headers), found.payload + body + payload)
        received = dict(zip(self._flow_fields, flow.key, strict=True))
        for name in self._flow_fields:
            frame.set(name, received[self.opposite(name)])
        for name, value in flow.link.items():
            frame.set(name, value)
        values = [(name, value.value(read)) for name, value in found.fields]
        for name, number in values:
            frame.set(name, number)
        for option in found.options:
            if not option.only_if or read(option.only_if):
                frame.add_options(
                    tcp_options.write(option.kind, tuple(value.value(read) for value in option.values))
                )
        self._frames.append(frame.octets())

    def transmit(self, layer: int, act: Transmit, flow: Flow, read: Read) -> None:
        """Sends as much of the message as the act allows."""
        variables = flow.layers[layer].variables
        above = flow.layers[layer + 1] if layer + 1 < len(flow.layers) else None
        end = act.end.value(read)
        closing = int(bool(act.closing and read(act.closing)))
        length = above.message_length() if above else 0
        ahead = min(_ahead(edge.value(read), variables[act.position]) for edge in (act.end, *act.edges))
        size = max(1, act.size.value(read))
        for _ in range(act.most):
            position = variables[act.position]
            offset = _ahead(position, end - closing - length)
            if ahead <= 0 or offset < 0:
                break
            count = min(size, ahead, length - offset)
            if count > 0 and above:
                self.send(layer, act.template, flow, read, above.message_octets(offset, count))
            else:  # the last position
                count = 1
                self.send(layer, act.final, flow, read)
            ahead -= count
            variables.set(act.position, position + count)
        position = variables[act.position]
        if act.reached and _ahead(position, variables[act.reached]) > 0:
            variables.set(act.reached, position)


def _ahead(position: int, of: int) -> int:
    """How far one sequence number is after another; negative: before."""
    return ((position - of + _HALF) & _SEQUENCE) - _HALF
