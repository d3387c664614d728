# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The way through a simulated device to one of its ports, frame by frame. Times are nanoseconds."""

from __future__ import annotations

from collections import deque
from fractions import Fraction

from ...model.units.units import LINE_OVERHEAD
from ...testbeds.simulated import SimulatedDevice
from .drops import DropCounter

_LOST: tuple[int, ...] = ()
_BIT_NS = 8 * 10**9  # bits each second times nanoseconds, in a byte


class SimulatedPath:
    """Forwards the frames of all streams that leave by one port, in the order in which they arrive."""

    def __init__(self, device: SimulatedDevice, line_bps: int) -> None:
        self._device = device
        self._line_bps = line_bps
        self._times: dict[int, tuple[Fraction, int]] = {}  # by size: on the line, and in the device
        self._leaving: deque[int] = deque()  # when each frame that it holds will have been forwarded
        self._frames = 0
        self._before_ns: int | None = None  # the arrival before this one
        self._to_warm_up = 0
        self._owed = Fraction(0)  # part of a frame that the law of loss has not yet taken
        self._overloaded = False  # its queue was full, and it has not recovered yet
        self._recovered_ns = 0
        self._losing = False  # every second frame meanwhile
        self._silent_until_ns = 0
        self._credit = device.bucket * _BIT_NS  # of the policer
        self.drops = [DropCounter(rule) for rule in device.drops]
        self._filled_ns = 0

    def reset(self, now_ns: int) -> None:
        """The device is silent from now on, for as long as it takes. What it holds is lost."""
        self._silent_until_ns = now_ns + self._device.silence.ns
        self._leaving.clear()
        self._overloaded = False

    def forward(self, now_ns: int, size: int) -> tuple[int, ...]:
        """When a frame of so many bytes that arrives now leaves: once, twice, or never."""
        device, self._frames = self._device, self._frames + 1
        line_ns, service_ns = self._times.get(size) or self._times_of(size)
        gap_ns = None if self._before_ns is None else now_ns - self._before_ns
        self._before_ns = now_ns
        if self._discards(now_ns, size, gap_ns, line_ns):
            return _LOST
        if self._overloaded and self._recovers(now_ns, gap_ns, service_ns):
            return _LOST
        leaving = self._leaving
        while leaving and leaving[0] <= now_ns:
            leaving.popleft()
        if len(leaving) > device.queue:
            self._overloaded, self._recovered_ns = True, now_ns + device.recovery.ns
            return _LOST
        begins_ns = leaving[-1] if leaving else now_ns
        if device.hiccup.ns:
            into_ns = begins_ns % device.hiccup_every.ns
            begins_ns += max(0, device.hiccup.ns - into_ns)
        out_ns = begins_ns + service_ns
        leaving.append(out_ns)
        out_ns += device.delay.ns
        if device.hold_every and self._frames % device.hold_every == 0:
            out_ns += device.hold.ns
        if device.double_every and self._frames % device.double_every == 0:
            return out_ns, out_ns
        return (out_ns,)

    def line_ns(self, size: int) -> Fraction:
        """The time of a frame on the line of its outgoing port."""
        return (self._times.get(size) or self._times_of(size))[0]

    def _discards(self, now_ns: int, size: int, gap_ns: int | None, line_ns: Fraction) -> bool:
        """Whether a frame is lost before the queue: reset, cold, by chance or by the policer."""
        device = self._device
        if now_ns < self._silent_until_ns:
            return True
        if device.warm_up and self._warms_up(gap_ns):
            return True
        if device.loss.value and self._loses(gap_ns, line_ns):
            return True
        return bool(device.police and self._polices(now_ns, size, device.police.bps))

    def _times_of(self, size: int) -> tuple[Fraction, int]:
        """Whole nanoseconds in the device, rounded down: it keeps up with what it can just forward."""
        line_ns = Fraction((size + LINE_OVERHEAD) * 8 * 10**9, self._line_bps)
        self._times[size] = line_ns, int(line_ns / self._device.rate.value)
        return self._times[size]

    def _warms_up(self, gap_ns: int | None) -> bool:
        if gap_ns is None or gap_ns > self._device.idle.ns:
            self._to_warm_up = self._device.warm_up
        self._to_warm_up -= 1
        return self._to_warm_up >= 0

    def _recovers(self, now_ns: int, gap_ns: int | None, service_ns: int) -> bool:
        """Whether a frame is lost because of an overload, which lasts while frames come too fast."""
        if gap_ns is not None and gap_ns < service_ns:
            self._recovered_ns = now_ns + self._device.recovery.ns
        self._overloaded = now_ns < self._recovered_ns
        self._losing = self._overloaded and not self._losing
        return self._losing

    def _polices(self, now_ns: int, size: int, rate_bps: int) -> bool:
        """Whether the bucket of the policer holds too little for a frame, which then takes nothing."""
        filled = self._credit + (now_ns - self._filled_ns) * rate_bps
        self._credit, self._filled_ns = min(self._device.bucket * _BIT_NS, filled), now_ns
        if self._credit < size * _BIT_NS:
            return True
        self._credit -= size * _BIT_NS
        return False

    def _loses(self, gap_ns: int | None, line_ns: Fraction) -> bool:
        """Whether the law of loss takes this frame; the load is that of the gap before it."""
        load = min(Fraction(1), line_ns / gap_ns) if gap_ns else Fraction(0)
        device = self._device
        beyond = max(Fraction(0), load - device.loss_from.value) / (1 - device.loss_from.value)
        # In steps of a millionth: exact sums of such fractions would grow without bounds.
        self._owed += Fraction(round(beyond * device.loss.value * 10**6), 10**6)
        if self._owed < 1:
            return False
        self._owed -= 1
        return True
