# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for paths: the tester forwards the traffic of others, and changes it."""

from __future__ import annotations

from enum import Enum
from typing import Any

from assertionengine import AssertionOperator
from robot.api.deco import keyword

from ...measurement.inline import PathStatistics
from ...model.heading import StationAddress
from ...model.inline import Path
from ...model.units.names import Names
from ...running.suite import Suite
from .._assertion import asserted
from .._component import component

BOTH_PORTS = Names(("p1", "p2"))


class PathStatistic(Enum):
    """The counters of a path, in frames of both directions; `fired` counts events."""

    RECEIVED = "received"
    FORWARDED = "forwarded"
    DROPPED = "dropped"
    LOSS_DROPS = "loss_drops"
    TAIL_DROPS = "tail_drops"
    OVERFLOWED = "overflowed"
    HELD = "held"
    DELAYED = "delayed"
    EXPIRED = "expired"
    DUPLICATED = "duplicated"
    INJECTED = "injected"
    UNMATCHED = "unmatched"
    LOST = "lost"
    FIRED = "fired"
    FLOWS = "flows"


@component
class InlinePaths:
    """Frames that arrive on one port and leave by another one."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["path"])
    def create_path(
        self,
        name: str,
        between: Names = BOTH_PORTS,
        memory_mib: int = 16,
        beside: Names | None = None,
        known_by: StationAddress = StationAddress.MAC,
    ) -> str:
        """Describes a path between two ports of the tester; nothing is forwarded before `Start Path`.

        | ``name`` | the name of the path, for other keywords |
        | ``between`` | two ports of the testbed; *forward* is from the first one to the second one |
        | ``memory_mib`` | MiB of memory for packets that are held, of each direction; up to 1024 |
        | ``beside`` | more ports beside the first one: several hosts in front of one port of a device |
        | ``known_by`` | how receivers behind these ports are identified: by ``mac`` address, or by ``ip`` |

        A path forwards frames unchanged, in both directions. `Drop Packet`, `Mark Packet`, `Corrupt Packet`,
        `Duplicate Packet`, `Truncate Packet`, `Delay Packet`, `Reorder Packet`, `Rewrite Field`, `Blackhole
        Path`, `Take Link Down` and `Reset Connection` give it events, which happen to single packets. Several
        events of one packet happen in the order in which they were described. No stream, clients or responder
        can use the ports meanwhile. Returns the name.

        With ports ``beside`` the first one, frames that arrive on any of them leave by the second port. In
        the other direction a frame leaves by the port from which its receiver has sent. If the receiver is
        not known yet, or is a group, it leaves by all of these ports, and the copies count as duplicated. A
        receiver is a MAC address. With ``known_by=ip`` it is an IPv4 or IPv6 address, or the target of an ARP
        request: use it for generators that share a MAC address or send from addresses behind their router.

        A path that holds packets takes its memory at the start. Each packet takes 256 bytes or a multiple of
        it. A packet that finds no room is dropped and counted, and verdicts on the path are INCONCLUSIVE.

        | `Create Path` | wan | between=p1,p2 |
        | `Create Path` | load | between=p1,p4 | beside=p2,p3 |
        | `Create Path` | load | between=p1,p4 | beside=p2,p3 | known_by=ip |
        | `Drop Packet` | wan | flow=1 | number=20 |
        | `Start Path` | wan |
        | `Run On Host` | client | curl -so /dev/null http://198.18.1.3/1MB |
        | `Verify All Events Fired` |
        """
        ends, more = tuple(between), tuple(beside or ())
        path = Path(name, ends, memory_mib=memory_mib, beside=more, known_by=known_by)  # type: ignore[arg-type]
        self._suite.paths.create(path)
        return name

    @keyword(tags=["path"])
    def start_path(self, *names: str) -> None:
        """Starts to forward on paths, until `Stop Path` or the end of the test or suite that described them.

        | ``names`` | names of paths; all paths by default |

        Flows, packets and counters start at zero. `Get Host Counter` counts from here on. A warning names
        virtual cables whose other end leaves checksums or segmentation to hardware: connections that need
        them do not work over a path.

        | `Start Path` | wan |
        """
        for sentence in self._suite.paths.start(names):
            self._suite.warn(sentence)

    @keyword(tags=["path"])
    def stop_path(self, *names: str) -> None:
        """Stops forwarding on paths: frames that arrive on their ports no longer reach the other side.

        | ``names`` | names of paths; all paths by default |

        `Get Path Statistics` still returns their counters. Stopping a stopped path is no error. Stamps on
        these paths end first, when all packets under way are back, and `Verify …` judges them from then on.

        | `Stop Path` | wan |
        """
        for stamps in self._suite.paths.stop(names):
            self._suite.found(stamps)

    @keyword(tags=["path", "get"])
    def get_path_statistics(
        self,
        name: str | None = None,
        statistic: PathStatistic | None = None,
        assertion_operator: AssertionOperator | None = None,
        assertion_expected: Any = None,
        message: str | None = None,
    ) -> PathStatistics | int:
        """Returns what a path has counted since its last start, and asserts if an operator is given.

        | ``name`` | the name of the path; may be left out if there is only one |
        | ``statistic`` | ``received``, ``forwarded``, ``dropped`` … frames; all counters by default |
        | ``assertion_expected`` | a number of frames |

        ``received`` + ``duplicated`` + ``injected`` = ``forwarded`` + ``dropped`` + ``loss_drops`` +
        ``tail_drops`` + ``overflowed`` + ``lost`` + ``held``.

        | =Statistic= | =Meaning= |
        | ``dropped``, ``injected`` | frames that events dropped, and that events sent in addition |
        | ``overflowed`` | frames that found no memory to be held in |
        | ``lost`` | frames for which the tester's own ports had no room |
        | ``held`` | frames that are held now, or were held when the path was stopped |
        | ``delayed`` | frames that were held and have left |
        | ``expired`` | frames that were held back until the limit of their event |
        | ``unmatched`` | frames that no event looked at |
        | ``fired``, ``flows`` | how often events happened, and the number of flows |

        Without a statistic it returns an object with these attributes, ``directions`` and ``events``. An
        event has ``name``, ``matched``, ``fired``, ``first_fired_ns`` and ``last_fired_ns``; one that takes
        links down also has ``link_outages``, ``first_down_ns`` and ``last_up_ns``.

        An assertion is INCONCLUSIVE while an event of the path has not fired, and if the tester lost frames.

        | `Get Path Statistics` | wan | dropped | == | 1 |
        """
        statistics = self._suite.paths.statistics(name)
        if statistic is None:
            return statistics
        return int(
            asserted(
                self._suite,
                int(getattr(statistics, statistic.value)),
                assertion_operator,
                assertion_expected,
                subject=f"{statistic.value} of path {statistics.name}",
                message=message,
            )
        )
