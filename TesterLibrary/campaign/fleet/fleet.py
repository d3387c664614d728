# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The testers of a campaign with their testbeds, and what a test on one of them takes from the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...errors import TesterLibraryError, did_you_mean
from ...files.document import Document
from ...testbeds import load_testbed
from ...testbeds.testbed import Testbed, TesterSpec
from ..campaign_file import Campaign
from .fleet_file import FleetEntries, LeaseEntry, TesterEntry

_HERE = "this machine"


@dataclass(frozen=True)
class FleetTester:
    """A tester of a fleet."""

    name: str
    files: Mapping[str, str]  # of its testbeds, by their names
    holds: Mapping[str, frozenset[str]]  # what a test on a testbed takes beside the tester
    tags: Mapping[str, str]
    lease: LeaseEntry | None = None


@dataclass(frozen=True)
class Fleet:
    """The testers of a campaign."""

    testers: tuple[FleetTester, ...]
    testbeds: tuple[str, ...]  # names or files, one for each device that is certified
    needs: Mapping[Path, Mapping[str, str]]  # tags by suite: a file or a folder

    def tester(self, name: str) -> FleetTester:
        """A tester by its name."""
        return next(tester for tester in self.testers if tester.name == name)

    def places(self, testbed: str, suite: Path) -> dict[str, frozenset[str]]:
        """The testers that can run a suite on a testbed, each with what that takes beside the tester.

        TesterLibraryError if there is none.
        """
        needed: dict[str, str] = {}
        for path, tags in self.needs.items():
            if suite.is_relative_to(path):
                needed |= tags
        having = [tester for tester in self.testers if testbed in tester.files]
        fit = {
            tester.name: tester.holds[testbed]
            for tester in having
            if all(tester.tags.get(tag) == value for tag, value in needed.items())
        }
        if not fit:
            known = "; ".join(f"{tester.name}: {_text(tester.tags) or 'no tags'}" for tester in having)
            raise TesterLibraryError(
                f"no tester of the testbed {testbed!r} has {_text(needed)}, which {suite.name} needs "
                f"({known}); give one of them these tags, or leave the suite out of needs"
            )
        return fit


def fleet_of(campaign: Campaign) -> Fleet:
    """The fleet of a campaign that names one.

    Raises:
        TesterLibraryError: names file, line and key of a testbed that cannot be read or that no tester has,
            and of devices that exclude each other though one testbed needs both.
    """
    entries, document = campaign.fleet, campaign.document
    if entries is None:
        raise TesterLibraryError(f"{document.path} names no testers; give testers:")
    load = cache(load_testbed)  # many testers have the same ones
    testbeds = {  # of each tester, by their files
        entry.name: {
            file: document.parsed(load, file, ("testers", entry.name, "testbeds", number))
            for number, file in enumerate(entry.testbeds)
        }
        for entry in entries.testers
    }
    known: dict[str, tuple[str, Testbed]] = {}  # the first file of each testbed, by its name
    for name, files in testbeds.items():
        for number, (file, testbed) in enumerate(files.items()):
            if known.setdefault(testbed.name, (file, testbed))[1].dut != testbed.dut:
                problem = (
                    f"{file} describes another device (dut:) than {known[testbed.name][0]}, and both have "
                    f"name: {testbed.name}, so a certificate would take them for one; give one of the files "
                    "another name:, or both the same dut:"
                )
                raise document.error(("testers", name, "testbeds", number), problem)
    chosen = _chosen(campaign, known)
    devices = _devices(document, entries, known)
    return Fleet(
        testers=tuple(_tester(entry, testbeds[entry.name], devices) for entry in entries.testers),
        testbeds=tuple(known[name][0] for name in chosen),
        needs=_needs(campaign, entries),
    )


def _tester(
    entry: TesterEntry, testbeds: Mapping[str, Testbed], devices: Mapping[str, frozenset[str]]
) -> FleetTester:
    return FleetTester(
        entry.name,
        {testbed.name: file for file, testbed in testbeds.items()},
        {testbed.name: devices[testbed.name] | _of_tester(entry, testbed) for testbed in testbeds.values()},
        entry.tags,
        entry.lease,
    )


def _of_tester(entry: TesterEntry, testbed: Testbed) -> frozenset[str]:
    """The engines and switches that other testers of the file may use, too."""
    return frozenset[str]().union(*(_shared(entry, testbed, spec) for spec in testbed.specs))


def _shared(entry: TesterEntry, testbed: Testbed, tester: TesterSpec) -> frozenset[str]:
    if tester.switch:
        return frozenset() if tester.switch.is_fake else frozenset([f"switch {tester.switch.address}"])
    if tester.address:
        return frozenset([f"engine {tester.address}"])
    return frozenset() if testbed.dut.is_simulated else frozenset([f"engine of {entry.machine or _HERE}"])


def _chosen(campaign: Campaign, known: Mapping[str, tuple[str, Testbed]]) -> tuple[str, ...]:
    """The names of the testbeds that are run: those of the campaign, or else those of all testers."""
    document = campaign.document
    names = []
    for number, file in enumerate(campaign.testbeds):
        name = document.parsed(load_testbed, file, ("testbeds", number)).name
        if name not in known:
            problem = f"no tester has the testbed {file!r}; those of the testers are {', '.join(known)}"
            raise document.error(("testbeds", number), problem)
        names.append(name)
    return tuple(dict.fromkeys(names or known))


def _devices(
    document: Document, entries: FleetEntries, known: Mapping[str, tuple[str, Testbed]]
) -> dict[str, frozenset[str]]:
    """The devices that a test on each testbed takes, and what two share that exclude each other."""
    names = {file: testbed.name for file, testbed in known.values()}
    inside: dict[str, list[str]] = {name: [] for name in known}
    for device in entries.devices:
        for number, file in enumerate(device.testbeds):
            name = names.get(file, file)
            if name not in inside:
                place = ("devices", device.name, "testbeds", number)
                hint = did_you_mean(file, inside)
                problem = f"no tester has the testbed {file!r}{hint}; there are {', '.join(known)}"
                raise document.error(place, problem)
            inside[name].append(device.name)
    holds = {
        name: {f"device {device}" for device in devices or _usual(known[name][1])}
        for name, devices in inside.items()
    }
    for device in entries.devices:
        for number, other in enumerate(device.excludes):
            for name, devices in inside.items():
                if device.name in devices and other in devices:
                    problem = (
                        f"{device.name} excludes {other}, and both are in the testbed {name!r}, so that no "
                        "test could ever run there; take one of them out of it"
                    )
                    raise document.error(("devices", device.name, "excludes", number), problem)
                if device.name in devices or other in devices:
                    holds[name].add(f"either {' or '.join(sorted((device.name, other)))}")
    return {name: frozenset(held) for name, held in holds.items()}


def _usual(testbed: Testbed) -> list[str]:
    """The device that the file of a testbed names, if it exists: others are made anew for each test."""
    return [testbed.dut.name] if testbed.dut.is_physical else []


def _needs(campaign: Campaign, entries: FleetEntries) -> Mapping[Path, Mapping[str, str]]:
    for path in entries.needs:
        inside = any(path.is_relative_to(suite) or suite.is_relative_to(path) for suite in campaign.suites)
        if campaign.suites and not inside:
            raise campaign.document.error(("needs",), f"{path.name} is no suite of this campaign")
    return entries.needs


def _text(tags: Mapping[str, str]) -> str:
    return ", ".join(f"{tag}={value}" for tag, value in tags.items())
