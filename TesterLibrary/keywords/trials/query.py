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

    name: Annotated[str, "what `Get Query Result` calls it"]
    port: Annotated[str | None, "a port of the testbed; all, if it is left out"] = None
    direction: Annotated[Direction, "``transmitted``, ``received`` or ``both``, as the tester sees it"] = (
        Direction.RECEIVED
    )
    filter: Annotated[
        PacketFilter, "conditions joined by ``and``, such as ``TCP.flags == SA and IP.src == 10.0.0.0/8``"
    ] = _EVERYTHING
    streams: Annotated[Names, "names of streams or mixes whose packets alone are counted"] = NO_NAMES
    foreign: Annotated[bool, "True: only packets that are of no stream"] = False
    symmetric: Annotated[bool, "True: the two directions of a connection are one key"] = False
    capacity: Annotated[int, "different keys at most, up to 33,554,432; their memory is taken at once"] = (
        DEFAULT_KEYS
    )
    interval: Annotated[Duration | None, "counts apart in each interval of this length, from 1 us on"] = None


_SHARED = tuple(one.name for one in fields(QueryArguments))


@component
class Queries:
    """Packets counted by what is in them."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["query"])
    @shares(QueryArguments, before="port")
    def count_packets(self, shared: QueryArguments, keys: QueryKeys = NO_KEYS) -> str:
        """Counts packets that pass a filter from now on, until `Stop Query`. Returns the name.

        | =Argument= | =Meaning= |
        | ``keys`` | fields by which they are counted, such as ``IP.src,TCP.dport``; none: all together |

        A condition compares a field (``IP.ttl``, ``TCP.flags``, ``VLAN.vlan``), bytes of the payload
        (``payload[0:4] == "GET "``, or ``payload == "GET "`` for its begin), ``length`` (bytes of the frame,
        FCS included) or ``port`` with a value, by ``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``. ``==`` also
        takes a range (``1024-65535``) and, with addresses, a network. ``TCP.flags == SA`` holds if these
        flags are set and no others, ``has`` if these are set, ``lacks`` if none of them is. A packet that has
        not all of the fields that a query names is not counted. Packets are found behind up to two VLAN
        tags, IP options and extension headers, but no authentication header; fragments but the first have no
        ports. A filter that no packet passes, however malformed, is refused.

        Counts are exact. A packet whose keys find no room (``capacity``) is counted as missed, and the result
        is INCONCLUSIVE then, as it is where the tester's own port lost frames. A switch needs a filter that
        names all keys: ``keys=IP.src`` with ``filter=IP.src == 10.0.0.0/24``.

        | `Count Packets` | synacks | port=p1 | filter=TCP.flags == SA |
        | `Send Traffic` | scan | packets=256 |
        | `Get Query Result` | synacks | count | == | 37 |
        """
        return self._start(shared, keys=keys)

    @keyword(tags=["query"])
    @shares(QueryArguments, before="port")
    def count_distinct(self, shared: QueryArguments, keys: QueryKeys) -> str:
        """Counts how many different values fields have, from now on until `Stop Query`. Returns the name.

        | =Argument= | =Meaning= |
        | ``keys`` | the field, or several: ``IP.src``, ``IP.src,TCP.sport``, ``payload[0:2]`` |

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
        """Sums up a value of the packets with equal keys, or takes the greatest or least. Returns the name.

        | =Argument= | =Meaning= |
        | ``keys`` | fields by which packets are told apart, such as ``IP.src,IP.dst`` |
        | ``value`` | ``length`` in bytes with FCS, a field such as ``IP.ttl``, or ``gap`` |
        | ``function`` | ``sum``, ``max`` or ``min`` |

        ``gap`` is the time since the packet before it with equal keys, of one port and one direction; the
        first one has none. It is as exact as the tester's times: packets that it receives in one burst, of 64
        at most, have equal ones. `Count Packets` explains filters.

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

        | =Argument= | =Meaning= |
        | ``name`` | the name of the query |
        | ``result`` | ``count``, ``keys``, ``packets``, ``value``, ``table``; an object, if it is left out |
        | ``assertion_operator`` | ``==``, ``<=``, ``contains`` … of the Assertion Engine |
        | ``assertion_expected`` | a number, ``1 MB`` of ``length``, a time of a gap; keys as a list or text |
        | ``key`` | the key whose ``value`` is read, ``10.0.0.1``, or ``10.0.0.1,80`` of several fields |
        | ``top`` | so many rows only, or ``keys``: those with the greatest values or packets first |
        | ``message`` | a text in place of the usual one if the assertion fails |

        ``count`` is how many different keys there are of `Count Distinct`, and packets of other queries;
        ``packets`` are those that passed the filter. ``keys`` are texts, in the order of their numbers, with
        commas in them where the query has several fields; ``==`` compares them in any order. With
        ``top`` there are more where several are as great as the last one. ``value`` is the sum, or the
        greatest or least value, of one key (the packets where these are counted only): a number, or of a
        ``gap`` a time. A key that was not seen has 0, and no greatest or least value. ``table`` and
        ``top`` return rows with ``keys``, ``key``, ``packets``, ``value`` and, of a query with intervals,
        ``interval_ns``.

        An assertion is INCONCLUSIVE where a record may be missing, where a trial, responder, clients or
        trigger that ran meanwhile has objections to the tester, where the query names streams and none of
        them was sent, and where packets of a stream that is
        sending, or of clients whose connections are not all over, could change it; a stopped query changes no
        more. A key that the query's own filter leaves out is refused, as nobody counts such packets.

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

        | =Argument= | =Meaning= |
        | ``name`` | what `Get Session Statistics` and `Stop Query` call it |
        | ``port`` | the port of the testbed where packets arrive |
        | ``filter`` | conditions on fields, and on the begin of the payload, as of `Count Packets` |
        | ``send`` | the frames, as headers of Scapy; several with ``;`` between them |
        | ``out`` | the port by which they leave; the one where the packet arrived, if it is left out |
        | ``swap`` | addresses and ports that ``send`` leaves out: True exchanged, False as they arrived |
        | ``most`` | packets by which it goes off at most |
        | ``vlan`` | packets, and frames, have the tag of this VLAN |

        A value in ``send`` may name fields of the packet that has arrived, in quotes where it has blanks:
        ``TCP(flags=A, seq=TCP.ack, ack="TCP.seq + 1")``. ``Raw(load="text")`` behind the headers is the
        payload; ``Raw(load=payload)``, of the last frame, is that of the packet, whose fields it keeps but
        for those that are given. Lengths and checksums are right.

        It goes off by packets that are of no stream; others are left to responders. Its headers are those
        that its filter and its values name, ``Ether / IP / TCP`` for ``TCP.flags``. Two triggers of a port
        that would go off by one packet are refused, and so are triggers that may set each other off.
        `Get Session Statistics` has the counters ``matched`` and ``sent``. A switch sends one frame for each
        packet, a segment of TCP, or the packet itself. To send at a time or at a rate, use `Create Stream`
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

        | =Argument= | =Meaning= |
        | ``names`` | names of queries and triggers; all, if none is given |

        The result of a query is written to ``evidence/queries/NAME.json``, all rows to ``NAME.csv`` beside
        it. Queries and triggers that nobody stops end with the test or suite that started them.

        | `Stop Query` | alive |
        """
        queries, connections = self._suite.queries, self._suite.connections
        triggers = [name for name in names if connections.runs(name, Trigger)]
        counting = [name for name in names if name not in triggers]
        if counting or not names:
            queries.stop(counting)
        if triggers or not names:
            connections.stop(triggers, Trigger)
        for name in counting:
            logger.info(str(queries.result(name)))

    def _start(self, shared: QueryArguments, **more: Any) -> str:
        suite = self._suite
        given = {name: getattr(shared, name) for name in _SHARED}
        given["streams"] = (
            tuple(stream.name for stream in suite.chosen(shared.streams)) if shared.streams else ()
        )
        suite.queries.start(Query(**given, **more))
        return shared.name
