# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that open connections from a port."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Annotated, Any

from robot.api.deco import keyword

from ...measurement.sessions import SessionStatistics
from ...model.endpoints import Endpoints, PortRange
from ...model.responder import Clients, Reopen
from ...model.units.quantity import Frequency, Octets
from ...model.units.units import Duration
from ...running.suite import Suite
from .._component import component
from .._parameters import with_parameters
from .._shared import shares
from .._states import show_states

ONE_MEGABYTE = Octets(10**6)
NO_TIME = Duration(0)
_HTTP = PortRange(80)
_OF_SOME = ["flow_size", "requests", "hold"]  # arguments of some keywords that open connections
_SIZE = MappingProxyType({"size": "flow_size"})  # an argument, by the parameter of the tables that it sets
_NONE: Mapping[str, Any] = MappingProxyType({})
_IN_FLIGHT = 10_000  # connections of UDP without an answer so far: their rate alone is to limit them


@dataclass(frozen=True, kw_only=True)
class ClientArguments:
    """Arguments that all keywords share which start clients."""

    name: Annotated[str, "what the other keywords call them"]
    target: Annotated[Endpoints, "address and port of the service, ``192.0.2.10:5001``"]
    port: Annotated[str, "the port of the tester"] = "p1"
    connections: Annotated[int, "the most connections that are open at once"] = Clients.connections
    rate: Annotated[
        Frequency | None, "connections opened per second, ``1000/s``; as many as the tester can, if left out"
    ] = None
    sources: Annotated[
        Endpoints | None, "addresses and ports of the clients; the port's own address, and ports from 1024"
    ] = None
    reopen: Annotated[
        Reopen, "which connections make room for another one: ``ended-well``, ``always``, ``never``"
    ] = Clients.reopen
    total: Annotated[int | None, "how many connections in all; no limit, if left out"] = None
    first_source: Annotated[
        int | None,
        "the number of the source that is used first, from 0, to repeat what an event `clients_started` says "
        "of another run; the one after those used last, if left out",
    ] = None
    linger: Annotated[Duration, "how long a closed connection is kept (TIME-WAIT) and counts as open"] = (
        NO_TIME
    )
    vlan: Annotated[int | None, "the VLAN of a tag that all frames have"] = None


@component
class ClientSide:
    """Clients run until they are stopped."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(name="Start HTTP Clients", tags=["clients"])
    @shares(ClientArguments, before="rate")
    def start_http_clients(
        self, shared: ClientArguments, flow_size: Octets = ONE_MEGABYTE, requests: int = 1, **parameters: Any
    ) -> str:
        """Opens HTTP/1.1 connections and keeps up their number, until `Stop Clients`. Returns the name.

        | =Argument= | =Meaning= |
        | ``target`` | address and port of the service, ``192.0.2.10:80``; port 80, if it has none |
        | ``flow_size`` | bytes that each request asks for, in ten digits: ``GET /0001000000`` |
        | ``requests`` | how many requests a connection sends, one after the other, before it is closed |
        | ``parameters`` | parameters of the tables http-client and tcp, such as ``rto=50 ms`` |

        A connection that ends well is opened again, one that does not is not (norma §8), so that a device
        which fails is not flooded. Servers that the tester plays itself are started by `Start HTTP
        Responder`. A server of one's own has a file of that name and length, such as ``0001000000``: another
        length, or another status than 200, is a connection that failed. The host asked for is ``tester-000``.

        | `Start HTTP Clients` | users | 192.0.2.10:80 | connections=4000 | flow_size=1 MB | rate=1000/s |
        """
        target = shared.target if shared.target.ports else replace(shared.target, ports=_HTTP)
        given = {"size": flow_size.count, "requests": requests, "linger": shared.linger}
        return self._start("http-client", replace(shared, target=target), given, parameters, _SIZE)

    @keyword(name="Start TCP Clients", tags=["clients"])
    @shares(ClientArguments, before="rate")
    def start_tcp_clients(
        self,
        shared: ClientArguments,
        flow_size: Octets | None = None,
        hold: Duration = NO_TIME,
        **parameters: Any,
    ) -> str:
        """Opens TCP connections, sends on each and closes it, until `Stop Clients`. Returns the name.

        | =Argument= | =Meaning= |
        | ``flow_size`` | bytes that each connection sends, 0 to open and close it only; 1 MB, if left out |
        | ``hold`` | how long a connection stays open after that |
        | ``parameters`` | parameters of the tables tcp-client and tcp |

        `Find Maximum Concurrent Connections` holds connections: if ``flow_size`` is left out, those that it
        opens send nothing.

        | `Start TCP Clients` | users | 192.0.2.10:5001 | connections=100 | flow_size=0 | rate=1000/s |
        """
        size = {} if flow_size is None else {"size": flow_size.count}
        given = {**size, "hold": hold, "linger": shared.linger}
        return self._start("tcp-client", shared, given, parameters, _SIZE)

    @keyword(name="Start NAT Clients", tags=["clients"])
    @shares(ClientArguments, before="rate", without=("connections", "linger"))
    def start_nat_clients(
        self,
        shared: ClientArguments,
        connections: int = _IN_FLIGHT,
        hold: Duration = NO_TIME,
        **parameters: Any,
    ) -> str:
        """Opens connections of UDP through NAT until `Stop Clients` (RFC 9693). Returns the name.

        | =Argument= | =Meaning= |
        | ``target`` | address and port of `Start NAT Responder`, ``198.19.1.10:9693``; in IPv6 for NAT64 |
        | ``connections`` | the most connections that are open at once |
        | ``hold`` | how long a connection stays open; with 0 it is over once it is answered |
        | ``parameters`` | parameters of the table nat-initiator or nat64-initiator, see below |

        One frame opens a connection, and nothing is sent again: without an answer within ``wait`` (500 ms)
        it counts as ``timed_out``. A connection that is held is asked for by the responder, through the entry
        that the device has for it; if no question comes for ``watch`` (800 ms), it counts as ``forgotten``.
        One that comes from another address or port later counts as ``moved``. ``untranslated`` are
        connections whose source the responder saw as it is here: the device does not translate, and verdicts
        are INCONCLUSIVE. Clients of NAT64 give the responder's IPv4 address behind the device's prefix.

        | `Start NAT Responder` | outside | servers=198.19.1.10:9693 |
        | `Start NAT Clients` | inside | 198.19.1.10:9693 | rate=1000/s |
        | `Find Maximum Connection Rate` | inside | empty=True |

        | `Start NAT Clients` | inside | [64:ff9b::203.0.113.10]:9693 | rate=1000/s |
        """
        protocol = "nat-initiator" if shared.target.addresses.first.version == 4 else "nat64-initiator"
        shared = replace(shared, connections=connections)
        return self._start(protocol, shared, {"hold": hold}, parameters)

    @keyword(name="Start SYN Flood", tags=["clients"])
    @shares(ClientArguments, before="vlan", without=("connections", "reopen", "linger"))
    def start_syn_flood(self, shared: ClientArguments, resets: bool = False) -> str:
        """Sends SYNs that nobody follows up, until `Stop Clients`. Returns the name.

        | =Argument= | =Meaning= |
        | ``name`` | what the other keywords call it |
        | ``target`` | address and port of the service, ``192.0.2.10:80`` |
        | ``rate`` | SYNs sent per second, ``100 k/s``; as many as the tester can, if left out |
        | ``sources`` | addresses and ports that the SYNs come from; the port's own address |
        | ``total`` | how many SYNs in all; no limit, if left out |
        | ``resets`` | whether an answer is reset |

        Its statistics count ``attempted``, ``answered`` and ``refused``.

        | `Start SYN Flood` | flood | 192.0.2.10:80 | rate=100 k/s | sources=198.18.2.0/24 |
        """
        return self._start("syn-flood", shared, {"resets": int(resets)})

    @keyword(tags=["clients"])
    @shares(ClientArguments, before="vlan", without=("linger",))
    def start_protocol_clients(self, shared: ClientArguments, protocol: str, **parameters: Any) -> str:
        """Opens flows of a protocol of your own, until `Stop Clients`. Returns the name.

        | =Argument= | =Meaning= |
        | ``protocol`` | a file, or one that is shipped; docs/protocols.md explains |
        | ``target`` | addresses and ports that flows are opened to |
        | ``connections`` | the most flows that are open at once |
        | ``reopen`` | which flows make room for another one: ``ended-well``, ``always``, ``never`` |
        | ``total`` | how many flows in all; no limit, if left out |
        | ``parameters`` | parameters of its tables by name: numbers, addresses, times, amounts of data |

        The log shows the states of the protocol, and what leads from one to another.

        | `Start Protocol Clients` | tunnels | ${CURDIR}/client.yaml | 10.1.0.10:7000 | connections=10 |
        """
        name = self._start(protocol, shared, {}, parameters)
        show_states(self._suite.recorder, protocol)
        return name

    @keyword(tags=["clients"])
    def stop_clients(self, *names: str, abandon: bool = False) -> SessionStatistics | None:
        """Stops clients where they are, and returns what the last ones of them did.

        | =Argument= | =Meaning= |
        | ``names`` | names of clients; all, if none is given |
        | ``abandon`` | whether open connections are left as they are: nothing more is sent or answered |

        Connections that are open are ended, so that the device and the servers do not keep them: TCP resets
        them, evenly within half a second, or 50,000 each second if they are fewer. It takes a second at most.
        They are counted as ``stopped``, neither as ``completed`` nor as ``failed``. `Get Session Statistics`
        goes on telling what the clients did.

        | `Stop Clients` | users |
        | `Stop Clients` | users | abandon=True |
        """
        return self._suite.connections.stop(names, Clients, abandon=abandon)

    def _start(
        self,
        protocol: str,
        shared: ClientArguments,
        given: Mapping[str, Any],
        parameters: Mapping[str, Any] = _NONE,
        names: Mapping[str, str] = _NONE,
    ) -> str:
        clients = Clients(
            name=shared.name,
            port=shared.port,
            protocol=protocol,
            target=shared.target,
            sources=shared.sources,
            connections=shared.connections,
            rate=shared.rate,
            reopen=shared.reopen,
            total=shared.total,
            first_source=shared.first_source,
            vlan=shared.vlan,
            parameters=given,
        )
        arguments = [one.name for one in fields(ClientArguments)] + _OF_SOME
        return self._suite.connections.start(with_parameters(clients, parameters, arguments, names))
