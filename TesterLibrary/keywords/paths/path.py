# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that put the tester in the way of other people's traffic."""

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

        | =Argument= | =Meaning= |
        | ``name`` | what the other keywords call it |
        | ``between`` | two ports of the testbed; *forward* leads from the first one to the second one |
        | ``memory_mib`` | MiB of memory for the packets that are held, of each direction; up to 1024 |
        | ``beside`` | more ports beside the first one: several hosts in front of one port of a device |
        | ``known_by`` | how receivers behind these are told apart: by their ``mac`` address, or by ``ip`` |

        A path forwards frames as they are, in both directions. `Drop Packet`, `Mark Packet`,
        `Corrupt Packet`, `Duplicate Packet`, `Truncate Packet`, `Delay Packet`, `Reorder Packet`,
        `Rewrite Field`, `Blackhole Path`, `Take Link Down` and `Reset Connection` give it events, which
        happen to single packets; several of one packet happen in the order in which they were written. No
        stream, clients or responder can use its ports meanwhile. Returns the name.

        With ports ``beside`` the first one, what arrives on any of them leaves by the second port. Back, a
        frame leaves by the port from which its receiver has sent; by all of them, as copies that are counted
        as duplicated, where its receiver is not known yet, or is a group. A receiver is an address of
        Ethernet; with ``known_by=ip`` one of IPv4 or IPv6, or who is asked for by ARP, for generators that
        share an address of Ethernet, or send from addresses behind a router of theirs.

        Memory is taken at the start of a path that holds packets. Each takes 256 bytes or a multiple; one
        that finds no room is dropped and counted, and verdicts on the path are INCONCLUSIVE then.

        | `Create Path` | wan | between=p1,p2 |
        | `Create Path` | load | between=p1,p4 | beside=p2,p3 |
        | `Create Path` | load | between=p1,p4 | beside=p2,p3 | known_by=ip |
        | `Drop Packet` | wan | flow=1 | number=20 |
        | `Start Path` | wan |
        | `Run On Host` | client | curl -so /dev/null http://198.18.1.3/1MB |
        | `Verify All Events Fired` |
        """
        ends = tuple(between)
        others = tuple(beside or ())
        path = Path(name, ends, memory_mib=memory_mib, beside=others, known_by=known_by)  # type: ignore[arg-type]
        self._suite.paths.create(path)
        return name

    @keyword(tags=["path"])
    def start_path(self, *names: str) -> None:
        """Has paths forward until `Stop Path`, or until the test or suite that described them is over.

        | =Argument= | =Meaning= |
        | ``names`` | names of paths; all, if none is given |

        Flows, packets and counters begin anew. `Get Host Counter` counts from here on. A warning names
        virtual cables whose other end leaves checksums or segmentation to hardware: no connection that
        needs them works over a path.

        | `Start Path` | wan |
        """
        for sentence in self._suite.paths.start(names):
            self._suite.warn(sentence)

    @keyword(tags=["path"])
    def stop_path(self, *names: str) -> None:
        """Has paths forward no more: what arrives on their ports is lost to the other side.

        | =Argument= | =Meaning= |
        | ``names`` | names of paths; all, if none is given |

        `Get Path Statistics` goes on telling what they did. Stopping what is not started is no error. Stamps
        on them end before, when what is under way is back, and are what `Verify …` judges from then on.

        | `Stop Path` | wan |
        """
        for found in self._suite.paths.stop(names):
            self._suite.found(found)

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

        | =Argument= | =Meaning= |
        | ``name`` | the name of the path; may be left out where there is one only |
        | ``statistic`` | ``received``, ``forwarded``, ``dropped`` … frames; all, if it is left out |
        | ``assertion_operator`` | ``==``, ``<=``, ``<`` … of the Assertion Engine |
        | ``assertion_expected`` | how many frames |
        | ``message`` | a text in place of the usual one if the assertion fails |

        ``received`` + ``duplicated`` + ``injected`` = ``forwarded`` + ``dropped`` + ``loss_drops`` +
        ``tail_drops`` + ``overflowed`` + ``lost`` + ``held``. ``dropped`` is what events dropped,
        ``injected`` what they sent beside what arrived, ``overflowed`` what found no memory to be held in,
        ``lost`` what the tester's own ports had no room for, ``held`` what is held now or was when the path
        was stopped, ``unmatched`` what passed without being seen by any event. ``fired`` is how often events
        happened, ``expired`` how often a packet was held back until its limit, ``delayed`` how many packets
        were held and have left, ``flows`` how many flows were given a number. Without a statistic an object
        with these attributes is returned, with ``directions`` and ``events``, each event with ``name``,
        ``matched``, ``fired``, ``first_fired_ns`` and ``last_fired_ns``; one that takes links down also has
        ``link_outages``, ``first_down_ns`` and ``last_up_ns``.

        An assertion is INCONCLUSIVE while an event of the path has not fired, and where the tester lost
        frames.

        | `Get Path Statistics` | wan | dropped | == | 1 |
        """
        found = self._suite.paths.statistics(name)
        if statistic is None:
            return found
        return int(
            asserted(
                self._suite,
                int(getattr(found, statistic.value)),
                assertion_operator,
                assertion_expected,
                subject=f"{statistic.value} of path {found.name}",
                message=message,
            )
        )
