# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Stamps in a switch: those that the program of paths (p4/controls/path_stamps.p4) has, and refusals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...errors import PlanError
from ...model.heading import Heading
from ...model.inline import Drop
from ...model.plan.planned_path import PlannedPath
from ...model.plan.planned_stamps import PlannedStamps, Tunnel
from ...model.stamps import LoadedPath
from ...model.units.units import Duration
from .watch import Watch, watch_of

GROUPS = 16  # of 32 directions (p4/include/path_sizes.p4), two each
MOST_TIMEOUT_NS = 4 * 10**9  # times have 32 bits of nanoseconds
STAMP_LENGTH = 16  # bytes
_AROUND = 14 + 4  # bytes of Ethernet and of the FCS; a tag is beside the MTU
_DIRECTIONS = {Heading.FORWARD: (0,), Heading.BACKWARD: (1,), Heading.BOTH: (0, 1)}
_TESTERD = "use a testerd"


@dataclass(frozen=True)
class StampedDirection:
    """One direction of stamps: ports by their names."""

    heading: int  # 0: forward
    to_device: str  # by which packets leave with a stamp
    from_device: str  # by which they leave without it
    longest: int  # bytes of an IP packet that gets a stamp


@dataclass(frozen=True)
class SwitchStamps:
    """Stamps as the program of a switch has them."""

    planned: PlannedStamps
    watch: Watch  # nothing: all packets
    directions: tuple[StampedDirection, ...]


def switch_stamps(
    stamps: PlannedStamps, paths: tuple[PlannedPath, PlannedPath], frame_sizes: tuple[int, int]
) -> SwitchStamps:
    """Stamps in a switch.

    Args:
        stamps: As they were planned.
        paths: The path before the device, and the one behind it.
        frame_sizes: The longest frames, with FCS, of the two ports that face the device.

    Raises:
        PlanError: what the program has not.
    """
    for why in _unfit(stamps):
        raise refused(stamps, why)
    try:
        watch = dict(watch_of(stamps.matches, "stamps packets of")) if stamps.matches else {}
    except PlanError as problem:
        raise refused(stamps, str(problem)) from None
    if stamps.data_only:
        watch["data"] = (1, 1)
    found = SwitchStamps(stamps, watch, tuple(_directions(stamps, paths, frame_sizes)))
    for direction in found.directions:
        _check_events(stamps, paths[1 - direction.heading], direction.heading)
    return found


def refused(stamps: PlannedStamps, why: str) -> PlanError:
    """The error that says which stamps are meant."""
    return PlanError(f"stamps {stamps.name!r}: {why}")


def _unfit(stamps: PlannedStamps) -> Iterator[str]:
    """Reasons why a switch cannot have stamps."""
    if stamps.kept:
        yield (
            "a switch remembers no packet, so it knows none again by what the device keeps of it; give "
            f"mode=stamp, or {_TESTERD}"
        )
    if stamps.tunnel is not Tunnel.NONE:
        yield (
            f"a switch does not look into a tunnel, and stamps no packet in one of {stamps.tunnel.name}; "
            f"give the headers of packets outside of it, or {_TESTERD}"
        )
    if not stamps.remove:
        yield f"a switch takes each stamp out again; leave remove out, or {_TESTERD}"
    if stamps.series:
        yield (
            f"a switch counts all packets of a direction together, not by flows or by intervals; leave "
            f"{' and '.join(stamps.series)} out, or {_TESTERD}"
        )
    if stamps.timeout_ns > MOST_TIMEOUT_NS:
        yield (
            f"a switch tells times of {Duration(MOST_TIMEOUT_NS)} at most, and "
            f"timeout={Duration(stamps.timeout_ns)}; give a shorter one, or {_TESTERD}"
        )


def _directions(
    stamps: PlannedStamps, paths: tuple[PlannedPath, PlannedPath], frame_sizes: tuple[int, int]
) -> Iterator[StampedDirection]:
    before, behind = paths
    ports = (
        (before.second_port, behind.second_port),
        (behind.first_port, before.first_port),
    )
    for heading in _DIRECTIONS[stamps.heading]:
        mtu = min(stamps.mtu, frame_sizes[heading] - _AROUND)
        yield StampedDirection(heading, *ports[heading], mtu - STAMP_LENGTH)


def _check_events(stamps: PlannedStamps, path: PlannedPath, heading: int) -> None:
    """PlanError for an event that would drop packets which come from the device.

    The ingress has events, and a packet is known again behind it, in the egress: the packet would count as
    one that the device has lost.
    """
    for event in path.events:
        if isinstance(event.action, Drop) and heading in _DIRECTIONS[event.heading]:
            raise refused(
                stamps,
                f"event {event.name!r} of path {path.name!r} drops packets that come from the device before "
                "a switch knows them again, so they would count as lost by the device; give the event the "
                f"other direction, or {_TESTERD}",
            )


def check_group(stamps: PlannedStamps, others: Sequence[PlannedStamps]) -> None:
    """PlanError for stamps that cannot be loaded beside others: on one of their paths, or too many."""
    for other in others:
        for path in stamps.paths:
            if path in other.paths:
                raise refused(
                    stamps,
                    f'path "{path.path}" has the stamps "{other.name}" already; a path has one group, so '
                    "unload the other one first",
                )
    if len(others) >= GROUPS:
        raise refused(
            stamps,
            f"a switch has {GROUPS} groups of stamps at most, and this is one more; unload another one first",
        )


def path_of(
    stamps: PlannedStamps, wanted: LoadedPath, loaded: Iterable[tuple[str, PlannedPath]]
) -> PlannedPath:
    """A path of a loaded job. PlanError if it is not there."""
    for job, path in loaded:
        if (job, path.name) == (wanted.job, wanted.path):
            return path
    raise refused(stamps, f'no path "{wanted.path}" of a job "{wanted.job}"; load it first')
