# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames over a veth cable, counted where they arrive, by the kernel: the same witness for every sender."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..senders import engine, testpmd, trafgen
from .alternate import Measure, alternate, paired, rate
from .outcome import Outcome, best
from .registry import Settings
from .wire import wire

_WARM_UP_S = 0.3
_MEGA = 1e6


class Driver(NamedTuple):
    """A way onto an interface, for us and for testpmd."""

    name: str
    port: str  # of testerd
    vdev: str  # of testpmd; the same arguments that testerd gives the driver


XDP = Driver("AF_XDP", "af_xdp", "net_af_xdp0,iface={}")
PACKET = Driver(
    "AF_PACKET",
    "af_packet",
    "net_af_packet0,iface={},framesz=2048,blocksz=65536,framecnt=4096,qdisc_bypass=1",
)


def against_testpmd(settings: Settings, driver: Driver) -> Outcome:
    """Ours and testpmd's in turn, over the same driver."""
    sides = {"ours": _ours(settings, driver), testpmd.NAME: _testpmd(settings, driver)}
    return paired(alternate(sides, settings.runs), testpmd.NAME)


def against_trafgen(settings: Settings) -> Outcome:
    """Ours over either driver and trafgen in turn; the better of the two counts."""
    ours: Mapping[str, Measure] = {driver.name: _ours(settings, driver) for driver in (XDP, PACKET)}
    rounds = alternate({**ours, trafgen.NAME: _trafgen(settings)}, settings.runs)
    chosen = best({name: [each.values[name] for each in rounds] for name in ours})
    note = f"testerd over {chosen}, the better one of {' and '.join(ours)}"
    return paired(rounds, trafgen.NAME, ours=chosen, note=note)


def _ours(settings: Settings, driver: Driver) -> Measure:
    def measure() -> float:
        with wire() as cable, engine.sending(f"{driver.port}:{cable.interface}", enter=cable.enter):
            return rate(cable.arrived, settings.seconds, warm_up=_WARM_UP_S) / _MEGA

    return measure


def _testpmd(settings: Settings, driver: Driver) -> Measure:
    def measure() -> float:
        with wire() as cable, testpmd.sending(driver.vdev.format(cable.interface), enter=cable.enter):
            return rate(cable.arrived, settings.seconds, warm_up=_WARM_UP_S) / _MEGA

    return measure


def _trafgen(settings: Settings) -> Measure:
    def measure() -> float:
        with wire() as cable, trafgen.sending(cable.interface, enter=cable.enter):
            return rate(cable.arrived, settings.seconds, warm_up=_WARM_UP_S) / _MEGA

    return measure
