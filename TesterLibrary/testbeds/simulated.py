# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The part of a testbed file about a simulated device: how it treats frames, exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..model.units.units import Bandwidth, Duration, Ratio
from .drop_rule import DropRule

_NEVER = Duration(0)
_NOTHING = Ratio(Fraction(0))


@dataclass(frozen=True)
class SimulatedDevice:
    """The behaviour of a device whose truth is known. Each of its ports has a queue of its own.

    A frame that arrives is lost, or waits until those before it have left, is forwarded at `rate`, and leaves
    `delay` later. Nothing is random: the same frames always have the same fate.
    """

    rate: Ratio = Ratio(Fraction(1))  # of the line rate of the outgoing port, at which it forwards
    queue: int = 64  # frames that wait at most, besides the one that is being forwarded
    delay: Duration = Duration(10_000)  # added to every frame
    loss: Ratio = _NOTHING  # part of the frames that it loses at line rate, besides those of a full queue
    loss_from: Ratio = _NOTHING  # load, part of line rate, from which `loss` grows in a straight line
    recovery: Duration = _NEVER  # after an overload that filled its queue it loses every second frame so long
    silence: Duration = Duration(2 * 10**9)  # after a reset
    hiccup_every: Duration = _NEVER  # from the begin of one hiccup to the next; 0: there are none
    hiccup: Duration = _NEVER  # for so long it forwards nothing, and loses nothing that its queue holds
    warm_up: int = 0  # frames that it loses after `idle` without a frame
    idle: Duration = Duration(100_000_000)
    hold_every: int = 0  # of so many frames one is held back; 0: none
    hold: Duration = _NEVER  # for so long
    double_every: int = 0  # of so many frames one leaves twice; 0: none
    police: Bandwidth | None = None  # of frames, FCS included, at which its bucket fills; None: no policer
    bucket: int = 10_000  # bytes that may go at once; a frame that finds less in the bucket is lost
    drops: tuple[DropRule, ...] = ()  # defects: frames for which one of these rules holds are dropped

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> SimulatedDevice:
        """The device that options of a testbed file describe.

        Raises:
            UnitError: a value cannot be read.
            ValueError: values make no sense together; the message begins with the name of one.
        """
        device = cls(**{name: cls.read(name, value) for name, value in options.items()})
        device._check()
        return device

    @classmethod
    def read(cls, name: str, value: object) -> Any:
        """The value of one option. UnitError or ValueError if it cannot be read."""
        if name == "drops":
            return tuple(map(DropRule.parse, value if isinstance(value, list) else [value]))
        kind = str(cls.__dataclass_fields__[name].type)
        for unit in (Ratio, Duration, Bandwidth):
            if kind.partition(" ")[0] == unit.__name__:
                return unit.parse(value)
        return value

    def _check(self) -> None:
        rules = (
            (0 < self.rate.value <= 1, "rate: give more than 0 and at most 100 %"),
            (self.loss_from.value < 1, "loss_from: give 0 to below 100 %"),
            (
                self.hiccup.ns == 0 or self.hiccup.ns < self.hiccup_every.ns,
                "hiccup: give less than hiccup_every, which has to be given, too",
            ),
            (bool(self.hold.ns) == bool(self.hold_every), "hold: give it with hold_every, and only then"),
        )
        for holds, rule in rules:
            if not holds:
                raise ValueError(rule)
