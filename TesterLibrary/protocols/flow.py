# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The state that a tester keeps for a flow: at most 64 bytes in an engine, by name here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping

from ..model.message import Message, Number
from ..model.protocol import Protocol
from .automaton import ScanProgress
from .frame import Frame

FlowKey = tuple[int, ...]  # values of the flow's fields, as in packets that arrive


class Variables(MutableMapping[str, int]):
    """The variables of one table. Assigned items are limited to the largest value; `set` is modulo 2^bits."""

    def __init__(self, protocol: Protocol) -> None:
        self._bits = {variable.name: variable.bits for variable in protocol.variables}
        self._values = dict.fromkeys(self._bits, 0)

    def __getitem__(self, name: str) -> int:
        return self._values[name]

    def __setitem__(self, name: str, value: int) -> None:
        self._values[name] = min(value, (1 << self._bits[name]) - 1)

    def __delitem__(self, name: str) -> None:
        raise TypeError(f"{name}: a flow always has all its variables")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def set(self, name: str, value: int) -> None:
        """Sets a variable to a value modulo 2^bits."""
        self._values[name] = value & ((1 << self._bits[name]) - 1)

    def bits(self, name: str) -> int:
        """The width of a variable."""
        return self._bits[name]


class Layer:
    """A flow's part of one table."""

    def __init__(self, protocol: Protocol, parameters: Mapping[str, int]) -> None:
        self.protocol = protocol
        self._parameters = parameters
        self.message = ""
        self.reset()

    def reset(self) -> None:
        """Goes back to the first state; a message that is being sent stays."""
        self.state = self.protocol.initial
        self.variables = Variables(self.protocol)
        for variable in self.protocol.variables:
            self.variables.set(variable.name, variable.initial.value(self._read))
        self.timers: dict[str, int] = {}  # when each is due, microseconds
        self.progress: dict[str, ScanProgress] = {}

    @property
    def said(self) -> Message | None:
        """The last message."""
        return next((message for message in self.protocol.messages if message.name == self.message), None)

    def message_length(self) -> int:
        """Bytes of the last message."""
        return self.said.text_length + self._body(self.said) if self.said else 0

    def message_octets(self, offset: int, length: int) -> bytes:
        """A part of the last message, whose variables have to stay as they are until it is `sent`."""
        message = self.said
        assert message is not None  # nothing is transmitted of nothing
        text = b"".join(self._text(part) for part in message.text)
        head = text[offset : offset + length]
        start = (max(offset, len(text)) - len(text)) % len(message.fill)
        times = -(-(start + length) // len(message.fill))
        return head + (message.fill * times)[start : start + length - len(head)]

    def _text(self, part: bytes | Number) -> bytes:
        if isinstance(part, bytes):
            return part
        return str(self._read(part.name)).rjust(part.digits, part.fill).encode()

    def _body(self, message: Message) -> int:
        return max(0, message.body.value(self._read))

    def _read(self, name: str) -> int:
        return self.variables[name] if name in self.variables else self._parameters[name]


class Flow:
    """A flow: its tables, the lowest first, and the addresses of the layers below its key."""

    def __init__(self, key: FlowKey, layers: tuple[Layer, ...]) -> None:
        self.key = key
        self.layers = layers
        self.link: dict[str, int] = {}  # Ethernet addresses of frames that are sent
        self.consumed = self.scanned = 0
        self.number = 0  # in the order in which flows were kept
        self.stopped = False  # it has had the event `stop`
        self.failed = False  # one of the protocol's failure counters has counted

    def meets(self, frame: Frame) -> None:
        """Lets answers go to the sender of this frame."""
        self.link = {"Ether.src": frame.get("Ether.dst"), "Ether.dst": frame.get("Ether.src")}

    def reset(self) -> None:
        """Ends the flow."""
        for layer in self.layers:
            layer.reset()
            layer.message = ""

    def next_timer(self) -> int | None:
        """The time at which its first timer is due."""
        return min((due for layer in self.layers for due in layer.timers.values()), default=None)
