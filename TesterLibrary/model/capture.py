# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Captures as users ask for them. Mirrors `capture.proto`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ..errors import PlanError
from .units.units import Duration


class Direction(Enum):
    """Direction of frames, as the tester sees it."""

    BOTH = "DIRECTION_BOTH"
    TRANSMITTED = "DIRECTION_TRANSMITTED"
    RECEIVED = "DIRECTION_RECEIVED"


class Keep(Enum):
    """The frames that a capture keeps when there are more than it may keep."""

    FIRST = "KEEP_FIRST"  # it is complete when it has all of them
    LAST = "KEEP_LAST"


@dataclass(frozen=True)
class TracedPath:
    """The frames of a path, each once, as it arrived."""

    job: str
    path: str
    every: int = 1  # frames whose number is a multiple of it


class TriggerKind(Enum):
    """The fate or look of a received frame, around which a capture keeps frames."""

    GAP = "KIND_GAP"  # frames before it have not arrived: they are lost, or will be overtaken
    LATENCY = "KIND_LATENCY"
    DAMAGE = "KIND_DAMAGE"
    FILTER = "KIND_FILTER"


@dataclass(frozen=True)
class CaptureTrigger:
    """The first received frame of its kind, and how many frames around it are kept."""

    kind: TriggerKind
    before: int = 100
    after: int = 20
    above: Duration | None = None  # LATENCY
    filter: str = ""  # FILTER: pcap-filter(7)

    @property
    def frames(self) -> int:
        """The frames that are kept in all."""
        return self.before + 1 + self.after

    def __post_init__(self) -> None:
        for kind, given, name in (
            (TriggerKind.LATENCY, self.above is not None, "above"),
            (TriggerKind.FILTER, bool(self.filter), "trigger_filter"),
        ):
            if given != (self.kind is kind):
                need = "needs" if self.kind is kind else "takes no"
                raise PlanError(f"trigger={self.kind.name.lower()} {need} {name}=")
        if self.before < 0 or self.after < 0:
            named = self.kind.name.lower()
            raise PlanError(f"trigger={named}: before={self.before}, after={self.after}; 0 frames or more")


MOST_FRAMES = 100_000  # that a capture keeps by default


@dataclass(frozen=True)
class Capture:
    """Copies of frames as they leave and arrive, beside the measurement."""

    name: str
    ports: tuple[str, ...] = ()  # empty: all
    direction: Direction = Direction.BOTH
    filter: str = ""  # pcap-filter(7); empty: every frame
    streams: tuple[str, ...] = ()  # by name, loaded now or later; empty: every frame, of a stream or not
    keep: Keep = Keep.FIRST
    frames: int = MOST_FRAMES
    snap_length: int = 0  # bytes of each frame, from its begin; 0: all
    trigger: CaptureTrigger | None = None  # instead of keep and frames
    traced: TracedPath | None = None  # of a path, and then nothing of the above but frames

    def __post_init__(self) -> None:
        if self.trigger is None or (self.keep, self.frames) == (Keep.FIRST, MOST_FRAMES):
            return
        name = self.keep.name.lower()
        argument = f"keep={name}" if self.keep is not Keep.FIRST else f"frames={self.frames}"
        raise PlanError(
            f"{argument} has no meaning with trigger={self.trigger.kind.name.lower()}, which keeps "
            f"before={self.trigger.before} and after={self.trigger.after} frames around it; leave {argument} "
            "out"
        )
