# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The unit of loading: what is loaded, started, stopped and unloaded together."""

from __future__ import annotations

from dataclasses import dataclass

from .inline import Path
from .responder import End
from .stamps import Stamps
from .stream import Stream


@dataclass(frozen=True)
class Job:
    """Streams, responders, clients, paths, stamps, planned as a whole: if one is refused, none is loaded."""

    name: str
    streams: tuple[Stream, ...] = ()
    seed: int = 1  # of everything random in it; part of the report
    ends: tuple[End, ...] = ()  # responders and clients
    paths: tuple[Path, ...] = ()
    stamps: tuple[Stamps, ...] = ()  # around a device between two paths of loaded jobs
