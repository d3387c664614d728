# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The suites about connections, and for each a defect that one of its tests has to find and name."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from .robots import SuiteTests, robot

STATEFUL = Path("suites/stateful")
_TESTBEDS = Path("resources/testbeds/embedded")
RIGHT = sorted(path.stem for path in STATEFUL.glob("[a-z]*.robot"))


class Defect(NamedTuple):
    """A defect in the file of a testbed: a wrong text in place of the right one."""

    suite: str
    testbed: str
    right: str
    wrong: str
    test: str
    message: str

    def run(self, folder: Path) -> SuiteTests:
        """The test that has to find it."""
        shipped = (_TESTBEDS / f"{self.testbed}.yaml").read_text()
        assert self.right in shipped
        broken = folder / "broken.yaml"
        broken.write_text(shipped.replace(self.right, self.wrong, 1))
        suite = STATEFUL / f"{self.suite}.robot"
        return robot(suite, folder / "output", f"TESTBED:{broken}", only=self.test)


DEFECTS = [
    Defect(
        "l7_load_balancer",
        "l7-balancer",
        ', "198.19.1.13:80"',
        "",  # one server gets no turn
        "Servers Have Even Shares",
        "FAIL: balance of transactions is 100 % off an even share",
    ),
    Defect(
        "cdn",
        "l7-balancer",
        ', "198.19.1.13:80"',
        "",  # one server gets no turn
        "Short Files Are Whole",
        "FAIL: packets of 198.19.1.13 of query opened is 0, required >= 800",
    ),
    Defect(
        "l4_gateway",
        "l4-gateway",
        "options:",
        "options:\n    connections: 1500",  # its table is too small
        "Connections Are Held",
        "FAIL: concurrent connections of users is 1,",
    ),
    Defect(
        "arp_learning",
        "arp-router",
        "options:",
        "options:\n    most_neighbours: 100",  # its table is too small
        "Neighbours Are Learned Fast Enough",
        "FAIL: addresses learned of 198.18.64.1-198.18.65.0 is ",
    ),
    Defect(
        "nd_learning",
        "nd-router",
        "options:",
        "options:\n    most_neighbours: 100",  # its table is too small
        "Neighbours Are Resolved Fast Enough",
        "FAIL: addresses learned of 2001:2:0:1::1:0-2001:2:0:1::1:ff is ",
    ),
    Defect(
        "l4_gateway",
        "l4-gateway",
        "options:",
        "options:\n    strips: sack-perm",
        "TCP Options Pass",
        "dropped option: 20 of 20 SYN-ACKs came without sack",
    ),
    Defect(
        "burst_tolerance",
        "shaper",
        "queue: 60000",
        "queue: 20000",  # too short
        "Long Bursts Lose What Does Not Fit",
        "frames, as behind a queue of ",
    ),
    Defect(
        "connection_scale",
        "l4-gateway",
        "options:",
        "options:\n    connections: 1500",  # its table is too small
        "So Many Are Held",
        # 1,000 and some; 0 if the tester had to repeat the first level: the table remembers what was closed.
        "FAIL: concurrent connections of users is ",
    ),
    Defect(
        "dns_responder",
        "dns-gateway",
        '"198.19.1.54:53"',
        '"198.19.1.99:53"',  # nobody is there
        "Each Question Is Answered",
        "FAIL: failed flows of users is",
    ),
    Defect(
        "private_tunnel",
        "tunnel-gateway",
        "options:",
        "options:\n    idle: 1",  # seconds, after which it forgets a silent session
        "Quiet Sessions Are Kept",
        "of 101 sessions were led to a server that does not know them",
    ),
    Defect(
        "syn_flood",
        "l4-syn-proxy",
        "syn_proxy: true",
        "syn_proxy: false",  # it passes SYNs on
        "The Flood Does Not Reach The Servers",
        "2000 SYNs of the flood have reached the servers",
    ),
]
