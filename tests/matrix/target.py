# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The targets of the matrix, and how a suite is run on each: with the shipped suite, and other variables."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from robot.api import ExecutionResult, TestSuiteBuilder

from TesterLibrary.reporting.pages.rebuild import NO_REPORTS

from .model import SPEED, model_bounds, on_own_device, write_testbeds
from .one_size import OneSize
from .outcome import SUITES, Outcome, name_of, outcome_of, shipped

HERE = Path(__file__).parent
_SECONDS = 3600  # of one folder


@dataclass(frozen=True)
class Target:
    """A column of the matrix."""

    name: str
    title: str
    variables: Sequence[str] = ()  # of every suite
    special: Mapping[str, Sequence[str]] = field(default_factory=dict)  # of a suite, or of those in a folder
    fails: Mapping[str, str] = field(default_factory=dict)  # tests whose verdict has to be FAIL, and why
    size: str = ""  # in bytes, of frames: others are left out of suites that repeat a test for seven sizes
    own: Callable[[Path], Sequence[str]] = lambda _: ()  # more variables of a suite
    own_text: str = ""  # those, as the page says them
    needs: str = ""  # what is not here; empty: it can be run
    prepare: Callable[[], object] = lambda: None  # before the first suite

    def run(self, folder: str, only: Sequence[str] | None = None) -> dict[str, dict[str, Outcome]]:
        """Runs the suites of a folder, or some; outcomes are by suite and test. TimeoutExpired: it hangs."""
        self.prepare()
        found: dict[str, dict[str, Outcome]] = {}
        alike: dict[tuple[str, ...], list[Path]] = {}  # suites, by their variables
        for suite in (suite for suite in shipped() if name_of(suite).startswith(f"{folder}/")):
            if only and name_of(suite) not in only:
                continue
            special = self.special.get(name_of(suite), self.special.get(folder, ()))
            alike.setdefault((*self.variables, *self.own(suite), *special), []).append(suite)
        for given, suites in alike.items():
            found |= self._run(folder, [TestSuiteBuilder().build(suite).name for suite in suites], given)
        return found

    def _run(self, folder: str, suites: Sequence[str], given: Sequence[str]) -> dict[str, dict[str, Outcome]]:
        """Runs suites of a folder, by their names in Robot."""
        with tempfile.TemporaryDirectory() as output:
            words = [word for variable in given for word in ("--variable", variable)]
            words += [word for suite in suites for word in ("--suite", suite)]
            if self.size:
                words += ["--prerunmodifier", f"{OneSize.__module__}.{OneSize.__name__}:{self.size}"]
            command = [sys.executable, "-m", "robot", "--outputdir", output, "--nostatusrc", *words]
            subprocess.run(
                [*command, str(SUITES / folder)],
                check=True,
                timeout=_SECONDS,
                env={**os.environ, NO_REPORTS: "1"},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            found: dict[str, dict[str, Outcome]] = {}
            for test in ExecutionResult(Path(output) / "output.xml").suite.all_tests:
                found.setdefault(name_of(Path(test.source)), {})[test.name] = outcome_of(test)
            return found


_TINY = (
    f"PROFILE_FILE:{HERE / 'tiny.yaml'}",
    f"PROFILE_NAME:{HERE / 'tiny.yaml'}",
    f"CRITERIA_FILE:{HERE / 'bounds.yaml'}",
)
_SLOW = {  # these testers have some thousands of frames each second
    "data_center": ("PAYLOAD:10 kB",),
    "service_activation": (
        "LONGEST_BURST:20 kB",
        "VOICE_CIR:200 kbps",
        "VIDEO_CIR:400 kbps",
        "DATA_CIR:300 kbps",
    ),
    "job": (f"JOB_FILE:{HERE / 'job.yaml'}", "DURATION:200 ms"),
    "measurement": ("RATE:100 pps", "DURATION:1 s", "CABLE:none"),
}

_FEW_NEIGHBOURS = ("CAPACITY:32", "MOST:198.18.128.1-198.18.128.100", "FLOOD:500 pps", "ANNOUNCED:1 k/s")

_FLOODED = (  # one port of each address: beside it a switch draws a sequence number
    f"TESTBED:{HERE / 'fake-syn-proxy.yaml'}",
    "ATTACKERS:198.18.3.1-198.18.3.200:1024",
)

_BRIDGED = {
    "service_activation/services Voice Is Configured": "a bridge polices nothing",
    "service_activation/services Video Is Configured": "a bridge polices nothing",
    "service_activation/services Data Is Configured By Colour": "a bridge polices nothing",
    "service_activation/services Voice Has Its Burst Size": "a bridge polices nothing",
    "service_activation/services Video Has Its Burst Sizes": "a bridge polices nothing",
    "service_activation/services Data Has Its Burst Sizes": "a bridge polices nothing",
    "switching/errored_frames One Byte Too Long": "its ports take longer frames, and it has no limit",
    "switching/errored_frames A Tag Too Long": "its ports take longer frames, and it has no limit",
    "switching/errored_frames Far Too Long": "its ports take longer frames, and it has no limit",
}

ENGINE = Target("engine", "`testerd`, on the embedded testbed of each suite")
FAKE_SWITCH = Target(
    "tofino-fake",
    "a switch that does not exist, with a bridge that loses nothing, a router, a shaper, or real hosts",
    variables=(f"TESTBED:{HERE / 'fake-switch.yaml'}", *_TINY),
    special={
        **_SLOW,
        "apps/hosts": (
            f"TESTBED:{HERE / 'fake-web.yaml'}",
            "PAGE:TCP.flags has P and TCP.dport == 2000-2049",
        ),
        "apps/syn_flood": _FLOODED,
        "inline": (f"TESTBED:{HERE / 'fake-path.yaml'}",),  # another program
        "inline/tcp_loss": ("TESTBED:embedded/tofino-path-hosts",),
        "inline/router_latency": ("TESTBED:embedded/tofino-stamped-router", "UDP_RATE:5M", "DELAY:2 s"),
        "rfc2544/reset": (f"TESTBED:{HERE / 'fake-bridge.yaml'}", *_TINY),
        "stateful/cdn": (
            f"TESTBED:{HERE / 'fake-balancer.yaml'}",
            "CONNECTIONS:100",
            "RATE:50/s",
            "LONG:20",
        ),
        "stateful/burst_tolerance": (f"TESTBED:{HERE / 'fake-shaper.yaml'}",),
        "switching/congestion": (f"TESTBED:{HERE / 'fake-shaper.yaml'}",),
        "stateful/arp_learning": (f"TESTBED:{HERE / 'fake-router.yaml'}", *_FEW_NEIGHBOURS),
        "stateful/syn_flood": _FLOODED,
        "stateful/nd_learning": (f"TESTBED:{HERE / 'fake-nd-router.yaml'}",),
    },
    fails=_BRIDGED,
)
_MODELLED = (
    f"PROFILE_FILE:{HERE / 'model-profile.yaml'}",
    f"PROFILE_NAME:{HERE / 'model-profile.yaml'}",
    model_bounds(),
)
_FLOODED_SLOWLY = ("ATTACKERS:198.18.3.1-198.18.3.200:1024", "FLOOD:10/s", "SYNS:100", "TIME:40 s")
MODEL = Target(
    "model",
    "the vendor's model of the chip, in front of the embedded device of each suite; of seven frame sizes one",
    variables=_MODELLED,
    size="512",
    own=on_own_device,
    own_text="`TESTBED:results/matrix/NAME.yaml`, which is the suite's `embedded/NAME` with the model as its "
    f"tester, and ports of {SPEED}",
    special={
        "measurement": ("RATE:50 pps", "DURATION:2 s", "CABLE:none", "DELAY:3 s", "TAIL:3 s", "OUTAGE:3 s"),
        "apps/traffic": (
            "RATE:60 kbps",
            "PACKETS:25 pps",
            "TALK:20 pps",
            "DURATION:8 s",
            "DELAY:3 s",
            "SILENCE:3 s",
            "BURST:60",
        ),
        "apps/hosts": (
            "SCAN:25 pps",
            "PAGE:TCP.flags has P and TCP.dport == 2000-2049",
        ),
        "apps/syn_flood": _FLOODED_SLOWLY,
        "stateful/cdn": ("CONNECTIONS:20", "RATE:4/s", "FEWEST:3", "MIDDLE:3", "LONG:8", "WAIT:5 s"),
        "stateful/burst_tolerance": (
            "SHAPED:15 kbps",
            "BURST:1860 B",
            "QUEUE:1860 B",
            "AVERAGE:10 kbps",
            "FRAME_SIZE:128",
            "SHORT_TIME:8 s",
            "LONG:150",
            "LONG_TIME:23 s",
            "WITHIN:25 %",  # bursts of the model are as long as they should be, and not as fast
        ),
        "stateful/arp_learning": (
            "CAPACITY:32",
            "MOST:198.18.128.1-198.18.128.100",
            "FLOOD:20 pps",
            "ANNOUNCED:10/s",
            "RATE:5 entries/s",
        ),
        "stateful/syn_flood": _FLOODED_SLOWLY,
        "nat": ("FLOWS:20", "OPENING:10 pps", "LOAD:50 %", "LATENCY:3 s"),
        "job": (f"JOB_FILE:{HERE / 'model-job.yaml'}", "DURATION:3 s"),
        "inline/proxy_delay": ("REQUESTS:10", "DELAY:3 s"),
        "inline/router_latency": ("UDP_RATE:500k", "DELAY:3 s"),
        "inline/tcp_loss": ("URL:http://198.18.1.3/100kB",),
    },
    needs="" if os.environ.get("SDE_INSTALL") else "needs the vendor's model",
    prepare=write_testbeds,
)
TARGETS = (ENGINE, FAKE_SWITCH, MODEL)
