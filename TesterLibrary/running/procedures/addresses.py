# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""MAC addresses behind one port of the tester, which a bridge learns: the `AddressMeasurer` of its table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...errors import PlanError
from ...measurement.addresses import AddressCheck
from ...measurement.counter import Counter, not_counted
from ...measurement.trial import Trial
from ...methodology.learning_window import LearningWindow
from ...model.editor import Editor, FieldPath, Sweep
from ...model.headers import Header, HeaderStack
from ...model.stream import Stream
from ...model.units.quantity import Frequency
from ...model.units.units import Duration, Rate, RateUnit
from ...reporting.record.machine import wall_clock
from ..observation import observe
from ..shot import Shot
from ..tester import Tester

_FIRST = 0x02_00_01_00_00_00  # locally administered, and none of the tester's or of an embedded device
_MOST = 1 << 24  # addresses with that prefix
_UNKNOWN = 8  # addresses that nobody has, to see whether frames to them are flooded
_FROM, _TO = "from addresses", "to addresses"


@dataclass(frozen=True)
class AddressPorts:
    """The ports of the test, by the letters of RFC 2889 §5.7.3."""

    learn: str  # Lport: the addresses are there
    test: str  # Tport: frames to the addresses leave it
    probe_rate: Frequency  # of the frames to the addresses


class TableMeasurer:
    """Lets a bridge learn addresses. Every other port of the testbed is monitored for flooded frames."""

    port_addresses = 2  # the addresses of both ports are in the device's table, too

    def __init__(self, tester: Tester, ports: AddressPorts, *, rest: Duration) -> None:
        """`rest`: time after which the device has forgotten addresses.

        Raises:
            PlanError: a port that does not exist or has a gateway, no third port, or a tester that does not
                count frames which arrive at other ports.
        """
        for name in (ports.learn, ports.test):
            if name not in tester.ports:
                raise PlanError(f"{name!r} is no port of this tester; it has {', '.join(tester.ports)}")
            if tester.ports[name].gateway:
                raise PlanError(f"port {name!r} has a gateway: a router learns none of them")
        if ports.learn == ports.test:
            raise PlanError(f"learn and test are both {ports.test!r}; give two ports")
        if len(tester.ports) < 3:
            raise PlanError(
                "flooded frames are seen at a third port (RFC 2889 §5.7.3), and this testbed has "
                f"{len(tester.ports)}: {', '.join(tester.ports)}"
            )
        if Counter.MISROUTED not in tester.capabilities.counts:
            raise PlanError(f"flooded frames cannot be seen: {not_counted({Counter.MISROUTED})}")
        self._tester, self._ports, self._rest, self._taken_over = tester, ports, rest, False
        self._used = _UNKNOWN  # fresh addresses so far; nothing ever comes from those that nobody has

    @property
    def window(self) -> LearningWindow:
        """See AddressMeasurer."""
        settle = self._tester.rules.settle  # of arrivals at the right port, and then at others
        return LearningWindow(self._rest, self._ports.probe_rate, Duration(2 * settle.ns))

    def floods(self) -> bool:
        """See AddressMeasurer."""
        return bool(self._observed(self._flooding, "flooding").flooded)

    def floods_now(self) -> bool:
        """The same, within another trial."""
        return bool(self._flooding().flooded)

    def _flooding(self) -> AddressCheck:
        ports, first = self._ports, _MOST // 2
        probing = self._sent(_stream(_TO, ports.test, ports.learn, "dst", first, _UNKNOWN, ports.probe_rate))
        return AddressCheck(
            addresses=_UNKNOWN,
            rate=0.0,
            unheard=None,
            flooded=probing.streams[0].counters.rx_misrouted,
            lost=None,
            objections=probing.objections,
        )

    def _observed(self, measure: Callable[[], AddressCheck], *asked: object) -> AddressCheck:
        """A bridge may know addresses of an interrupted attempt: it is left alone until it has forgotten."""
        asked = (*asked, self._ports, self._rest)
        seen = observe(self._tester, AddressCheck, measure, *asked, prepare=self._forget)
        self._taken_over = seen.taken_over
        return seen.found

    def _forget(self) -> None:
        self._tester.clock.sleep(self._rest.seconds)

    def check(
        self, addresses: int, rate: Frequency, *, fresh: bool, pause: Duration = Duration(0)
    ) -> AddressCheck:
        """See AddressMeasurer."""
        if addresses > _MOST // 2:
            raise PlanError(f"{addresses:,} addresses are more than the {_MOST // 2:,} that there are")
        first = self._fresh(addresses) if fresh else 0
        return self._observed(
            lambda: self._check(first, addresses, rate, pause), first, addresses, rate, pause
        )

    def _check(self, first: int, addresses: int, rate: Frequency, pause: Duration) -> AddressCheck:
        started_at, ports = wall_clock(), self._ports
        learning = self._sent(_stream(_FROM, ports.learn, ports.test, "src", first, addresses, rate))
        if pause.ns:
            self._tester.clock.sleep(pause.seconds)
        probing = self._sent(_stream(_TO, ports.test, ports.learn, "dst", first, addresses, ports.probe_rate))
        (heard,), (probed,) = learning.streams, probing.streams
        held_ns = probed.counters.last_tx_ns - heard.counters.first_tx_ns
        late = self.window.exceeded(heard.counters.first_tx_ns, probed.counters.last_tx_ns)
        objections = (*learning.objections, *probing.objections, *filter(None, [late]))
        return AddressCheck(
            addresses=addresses,
            rate=float(rate.per_second),
            unheard=heard.order.lost,
            flooded=probed.counters.rx_misrouted,
            lost=probed.order.lost,
            objections=tuple(dict.fromkeys(objections)),
            started_at=started_at,
            held_ns=held_ns,
        )

    def rest(self) -> None:
        """See AddressMeasurer. A check that is taken over has left nothing in the device."""
        if not self._taken_over:
            self._forget()

    def _fresh(self, count: int) -> int:
        """The number of the first of so many addresses that were not used before."""
        first = _MOST // 2 + self._used
        if first + count > _MOST:
            raise PlanError(f"{_MOST // 2:,} addresses were used up; open the tester again for more")
        self._used += count
        return first

    def _sent(self, stream: Stream) -> Trial:
        """A frame with each address."""
        tester, (editor,) = self._tester, stream.editors
        assert isinstance(editor.mode, Sweep)
        assert editor.mode.count is not None, "a search counts its addresses"
        # A trial ends when all frames have arrived where they are expected; copies may come later.
        return Shot(tester, "addresses", [stream]).send(packets=editor.mode.count, settle=tester.rules.settle)


def _stream(name: str, tx: str, rx: str, field: str, first: int, count: int, rate: Frequency) -> Stream:
    """Frames of one port, or to it, with one address after the other."""
    begin = (_FIRST + first).to_bytes(6, "big").hex(":")
    ethernet = Header("Ether", ((field, begin),))
    return Stream(
        name,
        tx=tx,
        rx=rx,
        rate=Rate(rate.per_second, RateUnit.PPS),
        headers=HeaderStack((ethernet, Header("IP"), Header("UDP"))),
        editors=(Editor(FieldPath("Ether", field), Sweep(begin, count=count)),),
        answered=False,  # the device learns from the frames of the test alone,
    )
