# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The unit of loading: what is loaded, started, stopped and unloaded together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath

from .inline import Path
from .ports import Port
from .responder import End
from .stamps import Stamps
from .stream import Stream
from .units.units import Duration, Ratio


@dataclass(frozen=True)
class Job:
    """Streams, responders, clients, paths, stamps, planned as a whole: if one is refused, none is loaded."""

    name: str
    streams: tuple[Stream, ...] = ()
    seed: int = 1  # of everything random in it; part of the report
    ends: tuple[End, ...] = ()  # responders and clients
    paths: tuple[Path, ...] = ()
    stamps: tuple[Stamps, ...] = ()  # around a device between two paths of loaded jobs


@dataclass(frozen=True)
class JobFile:
    """A job, and the ports it is for."""

    source: FilePath
    job: Job
    ports: Mapping[str, Port]
    gateways: Mapping[str, bytes]  # stand-ins, as planning without a network knows no MAC addresses
    testbed: str | None = None  # on which `tester run` runs it
    duration: Duration | None = None  # for how long; None: as the profile says
    most_loss: Ratio | None = None  # the bound of its frame loss; None: it is not judged
