# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that count packets by what is in them, exactly."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any

from assertionengine import AssertionOperator
from robot.api import logger
from robot.api.deco import keyword

from ...measurement.query import QueryResult, QueryRow
from ...model.capture import Direction
from ...model.query import (
    DEFAULT_KEYS,
    LENGTH,
    NO_KEYS,
    Counted,
    Function,
    PacketFilter,
    Query,
    QueryField,
    QueryKeys,
)
from ...model.trigger import DEFAULT_MOST, SentFrames, Trigger
from ...model.units.names import NO_NAMES, Names
from ...model.units.units import Duration
from ...running.suite import Suite
from .._component import component
from .._query_getter import QueryGetter, QueryStatistic
from .._shared import shares

_EVERYTHING = PacketFilter()


@dataclass(frozen=True, kw_only=True)
class QueryArguments:
    """The arguments of all queries."""

    name: Annotated[str, "the name of the query, for `Get Query Result`"]
    port: Annotated[str | None, "a port of the testbed; all ports by default"] = None
    direction: Annotated[Direction, "``transmitted``, ``received`` or ``both``, as the tester sees it"] = (
        Direction.RECEIVED
    )
    filter: Annotated[
        PacketFilter, "conditions joined by ``and``, such as ``TCP.flags == SA and IP.src == 10.0.0.0/8``"
    ] = _EVERYTHING
    streams: Annotated[Names, "names of streams or mixes; only their packets are counted"] = NO_NAMES
    foreign: Annotated[bool, "True: counts only packets that belong to no stream"] = False
    symmetric: Annotated[bool, "True: the two directions of a connection are one key"] = False
    capacity: Annotated[
        int, "the most different keys, up to 33,554,432; memory for all of them is taken at once"
    ] = DEFAULT_KEYS
    interval: Annotated[
        Duration | None, "counts each interval of this length by itself; 1 us is the shortest"
    ] = None


_SHARED = tuple(argument.name for argument in fields(QueryArguments))


@component
class Queries:
    """Packets counted by what is in them."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["query"])
    @shares(QueryArguments, before="port")
    def count_packets(self, shared: QueryArguments, keys: QueryKeys = NO_KEYS) -> str:
        """Counts packets that pass a filter from now on, until `Stop Query`. Returns the name.

        | ``keys`` | fields that tell packets apart, such as ``IP.src,TCP.dport``; without keys one count |

        A condition compares a field (``IP.ttl``, ``TCP.flags``, ``VLAN.vlan``), bytes of the payload
        (``payload[0:4] == "GET "``; or ``payload == "GET "``, which compares its beginning), ``length``
        (bytes of the frame, FCS included) or ``port`` with a value, by ``==``, ``!=``, ``<``, ``<=``, ``>``
        or ``>=``. ``==`` also takes a range (``1024-65535``) and, with addresses, a network.
        ``TCP.flags == SA`` holds if exactly these flags are set, ``has`` if at least these are set, ``lacks``
        if none of them is set. A packet without one of the fields of a query is not counted. The tester finds
        packets behind up to two VLAN tags, IP options and extension headers, but not behind an authentication
        header. Only the first fragment of a packet has ports. A filter that no packet can pass is refused.

        Counts are exact. A packet whose keys find no room (``capacity``) is counted as missed, and the result
        is INCONCLUSIVE. It is also INCONCLUSIVE if the tester's own port lost frames. A switch needs a filter
        that names all keys: ``keys=IP.src`` with ``filter=IP.src == 10.0.0.0/24``.

        | `Count Packets` | synacks | port=p1 | filter=TCP.flags == SA |
        | `Send Traffic` | scan | packets=256 |
        | `Get Query Result` | synacks | count | == | 37 |
        """
        return self._start(shared, keys=keys)

    @keyword(tags=["query"])
    @shares(QueryArguments, before="port")
    def count_distinct(self, shared: QueryArguments, keys: QueryKeys) -> str:
        """Counts how many different values fields have, from now on until `Stop Query`. Returns the name.

        | ``keys`` | one field or several: ``IP.src``, ``IP.src,TCP.sport``, ``payload[0:2]`` |

        `Count Packets` explains filters. The keys of a query have 40 bytes together at most: two addresses of
        IPv6, two ports and a protocol.

        | `Count Distinct` | alive | keys=IP.src | port=p1 | filter=TCP.flags == SA |
        | `Send Traffic` | scan | packets=256 |
        | `Get Query Result` | alive | count | == | 37 |
        | `Get Query Result` | alive | keys | contains | 198.18.0.7 |
        """
        return self._start(shared, keys=keys, counts=Counted.KEYS)

    @keyword(tags=["query"])
    @shares(QueryArguments, before="port")
    def sum_by(
        self,
        shared: QueryArguments,
        keys: QueryKeys,
        value: QueryField = LENGTH,
        function: Function = Function.SUM,
    ) -> str:
        """Computes the sum, the greatest or the least value over packets with equal keys. Returns the name.

        | ``keys`` | fields that tell packets apart, such as ``IP.src,IP.dst`` |
        | ``value`` | ``length`` in bytes with FCS, a field such as ``IP.ttl``, or ``gap`` |
        | ``function`` | ``sum``, ``max`` or ``min`` |

        ``gap`` is the time since the packet before with equal keys, of one port and one direction; the first
        packet has no gap. It is as exact as the tester's times: packets that arrive in one burst, of up to
        64, have equal times. `Count Packets` explains filters.

        | `Sum By` | talkers | keys=IP.src | port=p2 |
        | `Measure Loss` | north | duration=1 s |
        | @{busiest} = | `Get Query Result` | talkers | top=10 |
        """
        return self._start(shared, keys=keys, value=value, function=function)

    @keyword(tags=["query", "get"])
    def get_query_result(
        self,
        name: str,
        result: QueryStatistic | None = None,
        assertion_operator: AssertionOperator | None = None,
        assertion_expected: Any = None,
        *,
        key: str | None = None,
        top: int | None = None,
        message: str | None = None,
    ) -> QueryResult | list[QueryRow] | list[str] | int | None:
        """Returns what a query has counted so far, or until it was stopped; asserts if an operator is given.

        | ``name`` | the name of the query |
        | ``result`` | ``count``, ``keys``, ``packets``, ``value`` or ``table``; an object by default |
        | ``assertion_operator`` | ``==``, ``<=``, ``contains`` … of the Assertion Engine |
        | ``assertion_expected`` | a number, ``1 MB`` for ``length``, a time for a gap; keys as list or text |
        | ``key`` | the key whose ``value`` is read: ``10.0.0.1``, or ``10.0.0.1,80`` of several fields |
        | ``top`` | reads only this number of rows or ``keys``: those with the greatest values or packets |

        ``count`` is the number of different keys of `Count Distinct`, and the number of packets of other
        queries. ``packets`` is the number of packets that passed the filter. ``keys`` are texts in the order
        of their numbers, with commas in them if the query has several fields; ``==`` compares them in any
        order. ``top`` reads more than its number if several are as great as the last one. ``value`` is the
        sum, or the greatest or least value, of one key (the packets of a query that counts only packets): a
        number, or a time for a ``gap``. A key that was not seen has 0, and no greatest or least value.
        ``table`` and ``top`` return rows with ``keys``, ``key``, ``packets``, ``value`` and, for a query with
        intervals, ``interval_ns``.

        An assertion is INCONCLUSIVE in these cases:
        - a record may be missing;
        - a trial, responder, client or trigger that ran meanwhile has objections to the tester;
        - the query names streams, and none of them was sent;
        - packets that are still coming could change it: of a stream that is sending, or of clients whose
          connections are not all over. The result of a stopped query no longer changes.

        A key that the query's own filter leaves out is refused, because the query does not count it.

        | `Get Query Result` | alive | count | == | 37 |
        | `Get Query Result` | alive | keys | == | ${planted} |
        | `Get Query Result` | talkers | value | > | 1000 | key=10.0.0.1 |
        | `Get Query Result` | talkers | keys | == | 10.0.0.1 | top=1 |
        """
        getter = QueryGetter(self._suite, name, message)
        return getter.result(result, assertion_operator, assertion_expected, key=key, top=top)

    @keyword(tags=["query"])
    def when_packet_arrives(
        self,
        name: str,
        *,
        port: str,
        filter: PacketFilter,  # noqa: A002 - as of the queries
        send: SentFrames,
        out: str | None = None,
        swap: bool = True,
        most: int = DEFAULT_MOST,
        vlan: int | None = None,
    ) -> str:
        """Sends frames whenever a packet arrives that passes a filter, until `Stop Query`. Returns the name.

        | ``name`` | the name of the trigger, for `Get Session Statistics` and `Stop Query` |
        | ``port`` | the port of the testbed where packets arrive |
        | ``filter`` | conditions on fields and on the beginning of the payload, as in `Count Packets` |
        | ``send`` | the frames, as headers of Scapy; several with ``;`` between them |
        | ``out`` | the port by which the frames leave; by default the port where the packet arrived |
        | ``swap`` | addresses and ports that ``send`` leaves out: True exchanged, False as they arrived |
        | ``most`` | the most packets for which frames are sent |
        | ``vlan`` | the VLAN of the tag of packets and frames |

        A value in ``send`` may name fields of the packet that has arrived, in quotes if it has blanks:
        ``TCP(flags=A, seq=TCP.ack, ack="TCP.seq + 1")``. ``Raw(load="text")`` behind the headers is the
        payload. ``Raw(load=payload)`` of the last frame is the payload of the packet: that frame keeps the
        fields of the packet, except those that ``send`` gives. Lengths and checksums are right.

        It reacts to packets that belong to no stream; responders get all other packets. The packet has the
        headers that the filter and the values name: ``Ether / IP / TCP`` for ``TCP.flags``. Two triggers of a
        port that one packet would set off are refused, and so are triggers that may set each other off.
        `Get Session Statistics` has the counters ``matched`` and ``sent``. A switch sends one frame for each
        packet: a segment of TCP, or the packet itself. To send at a time or at a rate, use `Create Stream`
        and `Send Traffic`.

        | ${reset} = | `Set Variable` | Ether / IP / TCP(flags=R, seq=TCP.ack) |
        | `When Packet Arrives` | resets | port=p1 | filter=TCP.flags == SA | send=${reset} |
        | `Get Session Statistics` | resets | matched | == | 37 |
        """
        trigger = Trigger(
            name=name, port=port, filter=filter, send=send, out=out, swap=swap, most=most, vlan=vlan
        )
        return self._suite.connections.start(trigger)

    @keyword(tags=["query"])
    def stop_query(self, *names: str) -> None:
        """Ends queries, and triggers of `When Packet Arrives`; their results can still be read.

        | ``names`` | names of queries and triggers; all of them by default |

        The result of a query is written to ``evidence/queries/NAME.json``, and all rows to ``NAME.csv``
        beside it. Queries and triggers that are still running end with the test or suite that started them.

        | `Stop Query` | alive |
        """
        connections = self._suite.connections
        triggers = [name for name in names if connections.runs(name, Trigger)]
        self._stop_counting(names, [name for name in names if name not in triggers])
        if triggers or not names:
            connections.stop(triggers, Trigger)

    def _stop_counting(self, names: tuple[str, ...], queries: list[str]) -> None:
        if queries or not names:
            self._suite.queries.stop(queries)
        for name in queries:
            logger.info(str(self._suite.queries.result(name)))

    def _start(self, shared: QueryArguments, **more: Any) -> str:
        suite = self._suite
        values = {name: getattr(shared, name) for name in _SHARED}
        values["streams"] = (
            tuple(stream.name for stream in suite.chosen(shared.streams)) if shared.streams else ()
        )
        suite.queries.start(Query(**values, **more))
        return shared.name
