# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The part of a campaign's file that names a fleet: testers, devices, and what suites need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import did_you_mean
from ...files.document import Document, Place


@dataclass(frozen=True)
class LeaseEntry:
    """A place of a service (`tester serve`) that is leased before the tester is used."""

    service: str  # URL
    place: str
    ca: str | None = None  # a PEM file


@dataclass(frozen=True)
class TesterEntry:
    """A tester of a fleet: one test at a time."""

    __test__ = False  # pytest would take the name for a test class

    name: str
    testbeds: tuple[str, ...]  # names or files
    tags: Mapping[str, str] = field(default_factory=dict)
    machine: str = ""  # on which it starts an engine; empty: this one
    lease: LeaseEntry | None = None


@dataclass(frozen=True)
class DeviceEntry:
    """A device that several testbeds are connected to, or that cannot be tested while another one is."""

    name: str
    testbeds: tuple[str, ...]  # names or files
    excludes: tuple[str, ...] = ()


@dataclass(frozen=True)
class FleetEntries:
    """The testers and devices of a campaign, as its file says."""

    testers: tuple[TesterEntry, ...]
    devices: tuple[DeviceEntry, ...] = ()
    needs: Mapping[Path, Mapping[str, str]] = field(default_factory=dict)  # tags by suite: a file or a folder


def fleet_entries(
    document: Document,
    near: Callable[[str], str],
    suites: Callable[[str, Place], tuple[Path, ...]],
) -> FleetEntries | None:
    """The fleet of a campaign; None if it names no testers.

    Args:
        document: The campaign.
        near: A file beside the campaign as an absolute path; a name as it is.
        suites: The suites of a pattern that stands at a place of the document.

    Raises:
        TesterLibraryError: with file, line and key.
    """
    data: Mapping[str, Any] = document.data
    if "testers" not in data:
        for key in ("devices", "needs"):
            if key in data:
                raise document.error((key,), "is for a fleet; name its testers, too, or leave this out")
        return None
    everywhere = tuple(near(name) for name in data.get("testbeds", ()))
    testers = []
    for name, given in data["testers"].items():
        testbeds = tuple(near(testbed) for testbed in given.get("testbeds", ())) or everywhere
        if not testbeds:
            problem = "is missing; give the testbeds of this tester, or testbeds of the campaign"
            raise document.error(("testers", name, "testbeds"), problem)
        lease = dict(given["lease"]) if "lease" in given else None
        if lease and "ca" in lease:
            lease["ca"] = near(lease["ca"])
        testers.append(
            TesterEntry(
                name,
                testbeds,
                _texts(given.get("tags", {})),
                given.get("machine", ""),
                LeaseEntry(**lease) if lease else None,
            )
        )
    return FleetEntries(
        tuple(testers),
        tuple(
            DeviceEntry(name, tuple(map(near, given["testbeds"])), _excluded(document, name, given))
            for name, given in data.get("devices", {}).items()
        ),
        {
            suite: _texts(tags)
            for pattern, tags in data.get("needs", {}).items()
            for suite in suites(pattern, ("needs", pattern))
        },
    )


def _excluded(document: Document, name: str, given: Mapping[str, Any]) -> tuple[str, ...]:
    """The devices that one excludes, which have to be in the file and be others."""
    known = [other for other in document.data["devices"] if other != name]
    for number, other in enumerate(given.get("excludes", ())):
        if other not in known:
            hint = did_you_mean(other, known)
            problem = f"there is no other device {other!r}{hint}; there are {', '.join(known) or 'none'}"
            raise document.error(("devices", name, "excludes", number), problem)
    return tuple(given.get("excludes", ()))


def _texts(tags: Mapping[str, Any]) -> dict[str, str]:
    return {tag: str(value) for tag, value in tags.items()}
