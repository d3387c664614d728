# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The table of bugs: the test that has to find each, and the words of its verdict that name the bug."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from TesterLibrary.files.paths import data_root
from tests.acceptance.robots import SuiteTests, planted, robot

_HERE = Path(__file__).parent
_LISTENER = _HERE / "planted_device.py"
_SHIPPED = data_root() / "suites"
_TESTBEDS = data_root() / "resources" / "testbeds"
_ROUTER, _ROUTER6, _BRIDGE = "embedded/l3-router", "embedded/l3-router-ipv6", "embedded/l2-bridge"
_SPEED = "10 Mbps"  # a port of a device in Python
_GENTLE = ("RATE:400 pps", "DURATION:500 ms", "CABLE:none")


@dataclass(frozen=True)
class Check:
    """A test of a suite on a testbed."""

    suite: Path
    test: str
    testbed: str
    variables: tuple[str, ...] = _GENTLE

    def run(self, folder: Path, bug: str) -> Any:
        """The test, as Robot's output has it, on a device with this bug; without one if it is empty."""
        return self.attempts(folder, bug)[self.test]

    def attempts(self, folder: Path, bug: str) -> SuiteTests:
        """It is repeated while it is INCONCLUSIVE."""
        testbed = planted(folder, _TESTBEDS / f"{self.testbed}.yaml", "speed", _SPEED)
        tests = robot(
            self.suite,
            folder / "output",
            *(testbed, f"BUG:{bug}", *self.variables),
            only=self.test,
            listener=_LISTENER,
        )
        return tests.settled([self.test])

    @property
    def name(self) -> str:
        suite = self.suite.relative_to(_HERE if self.suite.is_relative_to(_HERE) else _SHIPPED.parent)
        return f"{suite}: {self.test}"


@dataclass(frozen=True)
class Row:
    """A bug, the test that has to find it, and words of the verdict; or the reason why nothing finds it."""

    bug: str
    check: Check
    words: tuple[str, ...]
    why_not: str = ""

    @property
    def is_found(self) -> bool:
        return not self.why_not

    def names(self, test: Any) -> bool:
        """Whether the test has failed by a verdict that names the bug."""
        return test.status == "FAIL" and all(word in test.message for word in self.words)


def _shipped(suite: str, test: str, testbed: str = _ROUTER, variables: Sequence[str] = ()) -> Check:
    return Check(_SHIPPED / suite, test, testbed, (*_GENTLE, *variables))


def _ipv4(test: str) -> Check:
    return Check(_HERE / "suites" / "ipv4.robot", test, _ROUTER)


def _ipv6(test: str) -> Check:
    return Check(_HERE / "suites" / "ipv6.robot", test, _ROUTER6)


_JOB = _shipped("job/streams.robot", "Streams Of The Job")
_JOB6 = _shipped("job/streams.robot", "Streams Of The Job", _ROUTER6)
_BURSTS = _shipped("apps/traffic.robot", "No Microburst Leaves The Device", variables=["PACKETS:400 pps"])
_FLOWS = _shipped(
    "measurement/measurement.robot", "Every Flow Arrives", variables=["RATE:1 kpps", "DURATION:1 s"]
)
_OUTAGE = _shipped("measurement/measurement.robot", "No Outage")
_ORDER = _shipped("measurement/measurement.robot", "Frames Keep Their Order")
_PRIORITY = Check(_HERE / "suites" / "vlan.robot", "The Priority Arrives", _BRIDGE)
_LAST_HOP = _ipv4("The Last Hop Is Not Forwarded")
_TTL = _ipv4("The TTL Is Decremented By One")
_CLASS = _ipv4("The Traffic Class Arrives")
_FRAGMENTS = _ipv4("All Fragments Arrive")

ROWS = (
    Row("TTL decremented by 2", _TTL, ("IP.ttl of north is 62 (sent 64)",)),
    Row("TTL not decremented", _TTL, ("IP.ttl of north is 64 (sent 64)",)),
    Row("DSCP lost", _CLASS, ("IP.tos of north is 2 (sent 186)",)),
    Row("ECN bits cleared", _CLASS, ("IP.tos of north is 184 (sent 186)",)),
    Row("IPv6 traffic class lost", _ipv6("The Traffic Class Arrives"), ("IPv6.tc of north is 0 (sent 186)",)),
    Row("IPv4 checksum not updated", _JOB, ("IPv4 checksum",)),
    Row("IPv4 total length wrong", _JOB, ("IP length",)),
    Row("IPv6 payload length wrong", _JOB6, ("IP length",)),
    Row("stale bytes in the padding", _ipv4("Padding Is Zero"), ("capture stale padding",)),
    Row(
        "ICMP errors quote a wrong checksum",
        _ipv4("Errors Quote The Packet As It Came"),
        ("capture wrong quotes",),
    ),
    Row("no time-exceeded messages", _ipv4("The Last Hop Is Reported"), ("count of query reports is 0",)),
    Row(
        "advertisement without link-layer address",
        _ipv6("Multicast Solicitations Are Answered With An Address"),
        ("capture without an address",),
    ),
    Row(
        "advertisement without the S flag",
        _ipv6("Answers Have The Solicited Flag"),
        ("capture without the S flag",),
    ),
    Row(
        "advertisement without the O flag",
        _ipv6("Answers Have The Override Flag"),
        ("capture without the O flag",),
    ),
    Row(
        "unicast solicitations not answered",
        _ipv6("Unicast Solicitations Are Answered"),
        ("capture advertisements",),
    ),
    Row(
        "VLAN priority lost",
        _PRIORITY,
        ("VLAN.prio of north is 0 (sent 5)",),
    ),
    Row(
        "packets of exactly the MTU dropped",
        _shipped("tcp_throughput/path.robot", "Packets Of The Promised MTU Get Through"),
        ("path MTU of probe is 1,499 bytes",),
    ),
    Row("last fragment lost", _FRAGMENTS, ("packets of 4 of query pieces is 0",)),
    Row(
        "fragments out of order",
        _FRAGMENTS,
        (),
        why_not="order is told by signatures, and a fragment has none that the tester counts",
    ),
    Row("each 20th frame duplicated", _ORDER, ("frames duplicated is",)),
    Row("payload changed, checksum right", _JOB, ("arrived with another content",)),
    Row(
        "address in the payload rewritten",
        _ipv4("Text Arrives As Sent"),
        ("arrived with another content",),
    ),
    Row("frames of 4n + 1 bytes lost", _ipv4("Each Length Arrives"), ("bytes65",)),
    Row("frames sent back to the ingress port", _ORDER, ("frames misrouted is",)),
    Row("UDP checksum 0 rewritten", _ipv4("A Datagram Without Checksum Stays So"), ("UDP.chksum of north",)),
    Row("flow label zeroed", _ipv6("The Flow Label Arrives"), ("IPv6.fl of north is 0",)),
    Row(
        "SRv6 last entry wrong",
        _ipv6("The Segment Routing Header Arrives"),
        ("SRv6.lastentry of north is 2 (sent 1)",),
    ),
    Row(
        "packets with TTL 1 forwarded",
        _LAST_HOP,
        ("count of query forwarded is 50",),
    ),
    Row("frames of a flow reordered", _ORDER, ("reordering of north",)),
    Row(
        "source MAC address not rewritten",
        _ipv4("The Source Address Is That Of The Router"),
        ("Ether.src of north is 02:00:00:00:00:01",),
    ),
    Row("100 frames collected and sent at once", _BURSTS, ("largest burst",)),
    Row("one of 16 hash buckets lost", _FLOWS, ("silent",)),
    Row("forwarding pauses", _OUTAGE, ("outage of north",)),
    Row("DF bit cleared", _ipv4("The Don't Fragment Bit Arrives"), ("IP.flags of north",)),
    Row("IPv4 identification rewritten", _ipv4("The Identification Arrives"), ("IP.id of north",)),
    Row(
        "IPv4 checksum not verified",
        _ipv4("A Broken Header Is Not Forwarded"),
        ("count of query forwarded is 50",),
    ),
    Row(
        "packets from martian addresses forwarded",
        _ipv4("A Martian Is Not Forwarded"),
        ("count of query forwarded is 50",),
    ),
    Row(
        "solicitations with hop limit 64 answered",
        _ipv6("Solicitations From Afar Are Not Answered"),
        ("capture answers is 20",),
    ),
    Row("ICMP errors about ICMP errors", _ipv4("Errors Are Not About Errors"), ("query reports is 50",)),
    Row(
        "ARP answered for each address",
        _ipv4("ARP Is Answered For The Gateway Alone"),
        ("query replies is 20",),
    ),
)


def checks() -> Iterator[Check]:
    """The tests of all rows, each once."""
    yield from dict.fromkeys(row.check for row in ROWS)
