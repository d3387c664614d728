# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs the turns of template packets in their loops: p4/controls/rate.p4 and editor.p4."""

from __future__ import annotations

from collections.abc import Callable

from ..entries.editor import EDITORS
from .pace import UNITS, Pace
from .packet import Packet
from .store import Cells, Store, number

_WORD = 1 << 32
_HALF = 1 << 16
_VLANS = 0xFFF  # of the 16 bits of a tag


def _modes(control: str, unit: str) -> str:
    return f"internal.{control}.{unit}_modes.modes"


class FakeStreamUnits:
    """The units that pass and skip, and the editors. `pipe` is the pipe of a template's loopback port."""

    def __init__(self, store: Store, pace: Pace, random: Callable[[], int]) -> None:
        """`random` draws numbers of 32 bits."""
        self._store, self._pace, self._random = store, pace, random
        self._editors = {  # the control of each unit that the program has
            unit: control for unit, control in EDITORS.items() if store.has(_modes(control, unit))
        }

    def due(self, pipe: int, template: int, now_ns: int) -> bool:
        """Whether this turn of any template is due by its random gaps (p4/controls/gaps.p4)."""
        return self._pace.turn(pipe, template, now_ns, self._pace.quantile(template, self._random()))

    def departs(self, pipe: int, template: int, *, due: bool) -> bool:
        """Whether this turn, which the meter calls green, becomes a packet of the stream."""
        for unit in UNITS:
            if unit == UNITS[-1] and not due:
                return False
            passes, last = self._pace.stage(unit, template)
            ticks, place = self._pace.ticks(unit), (pipe, template)
            tick = ticks.get(place, 0)
            ticks[place] = 0 if tick >= last else (tick + 1) % _WORD
            if tick >= passes:
                return False
        return True

    def edit(self, packet: Packet, pipe: int) -> None:
        """Moves the numbers of all units and writes them to their fields."""
        template, wrapped = packet.template, True
        for unit, control in self._editors.items():
            cascaded = unit != "first" and self._store.match(f"internal.{control}.cascades", template)
            value, wrapped = self._moved(f"{control}.{unit}", pipe, template, not cascaded or wrapped)
            self._written(f"{control}.{unit}", packet, value)
        self._number(packet, pipe)

    def _number(self, packet: Packet, pipe: int) -> None:
        """Gives a frame the number of its flow, if they are counted (p4/controls/flows.p4)."""
        control, place = "InternalIngress.flow_numbers", (pipe, packet.template)
        entry = self._store.match(f"internal.{control}.streams", packet.template)
        if entry is None:
            return
        numbers = self._store.cells(f"internal.{control}.next", f"{control}.next.f1")
        value = numbers.get(place, 0)
        numbers[place] = 0 if value >= number(entry, "own_last") else value + 1
        packet.set("signature.sequence_high", value)

    def _moved(self, unit: str, pipe: int, template: int, moves: bool) -> tuple[int, bool]:
        """The number of a unit, and whether it wraps. A second register moves alike, and says that."""
        step, bound = self._motion(unit, template)
        limit = (bound - step) % _WORD
        cells = [self._numbers(unit, register) for register in ("values", "values_again")]
        found = [numbers.get((pipe, template), 0) for numbers in cells]
        if moves:
            for numbers, value in zip(cells, found, strict=True):
                numbers[pipe, template] = (value - limit if value >= limit else value + step) % _WORD
        return found[0], moves and found[1] >= limit

    def _numbers(self, unit: str, register: str) -> Cells:
        return self._store.cells(f"internal.{unit}.{register}", f"{unit}.{register}.f1")

    def _motion(self, unit: str, template: int) -> tuple[int, int]:
        entry = self._store.match(f"internal.{unit}_modes.modes", template)
        if entry is None:
            return 0, 1
        if str(entry.action).endswith("ranged"):
            return self._random() & number(entry, "mask"), number(entry, "below")
        return number(entry, "by"), number(entry, "below")

    def _written(self, unit: str, packet: Packet, value: int) -> None:
        control = f"internal.{unit}_field"
        entry = self._store.match(f"{control}.values", packet.template, value)
        entry = entry or self._store.match(f"{control}.quantiles", packet.template, value % _HALF)
        value = number(entry, "own") if entry else value
        target = self._store.match(f"{control}.fields", packet.template)
        if target is None:
            return
        action = str(target.action).rpartition(".")[2]
        header, _, name = action.partition("_")
        if (header, name) == ("ether", "dst"):
            low = (number(target, "base") + value) % _WORD
            packet.peer = packet.peer[:2] + low.to_bytes(4, "big")
        elif (header, name) == ("ether", "src"):
            packet.source_low = (number(target, "base") + value) % _WORD
        elif header == "vlan":
            others = packet.get("vlan.vlan") & ~_VLANS
            packet.set("vlan.vlan", others | value & _VLANS)
        elif action in ("mpls", "second_mpls"):
            packet.set(f"{action}.entry", number(target, "base") + value)
        else:
            packet.set(f"{header}.{name}", number(target, "base") + value)
