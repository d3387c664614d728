# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that open connections: to responders of the tester, or to services of one's own."""

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
from .._log import show_states
from .._parameters import renamed, with_parameters
from .._shared import shares

ONE_MEGABYTE = Octets(10**6)
NO_TIME = Duration(0)
_HTTP = PortRange(80)
_OF_SOME = ["response_size", "flow_size", "requests", "hold"]  # arguments of some keywords
_RESPONSE = MappingProxyType({"size": "response_size"})  # arguments by the parameters that they set
_FLOW = MappingProxyType({"size": "flow_size"})
_NONE: Mapping[str, Any] = MappingProxyType({})
_IN_FLIGHT = 10_000  # connections of UDP without an answer so far: their rate alone is to limit them


@dataclass(frozen=True, kw_only=True)
class ClientArguments:
    """Arguments that all keywords share which start clients."""

    name: Annotated[str, "the name of the clients, for other keywords"]
    target: Annotated[Endpoints, "address and port of the service, ``192.0.2.10:5001``"]
    port: Annotated[str, "the port of the tester"] = "p1"
    connections: Annotated[int, "the most connections that are open at once"] = Clients.connections
    rate: Annotated[
        Frequency | None, "connections opened per second, ``1000/s``; as many as the tester can by default"
    ] = None
    sources: Annotated[
        Endpoints | None,
        "addresses and ports of the clients; by default the port's own address, and ports from 1024",
    ] = None
    reopen: Annotated[
        Reopen, "which ended connections are replaced by new ones: ``ended-well``, ``always``, ``never``"
    ] = Clients.reopen
    total: Annotated[int | None, "the number of connections in all; no limit by default"] = None
    first_source: Annotated[
        int | None,
        "the number of the first source, from 0, to repeat another run: its event `clients_started` has it. "
        "By default the source after those used last",
    ] = None
    linger: Annotated[Duration, "how long a closed connection is kept (TIME-WAIT) and counts as open"] = (
        NO_TIME
    )
    vlan: Annotated[int | None, "the VLAN of the tag of all frames; no tag by default"] = None


@component
class ClientSide:
    """Clients run until they are stopped."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(name="Start HTTP Clients", tags=["clients"])
    @shares(ClientArguments, before="rate")
    def start_http_clients(
        self,
        shared: ClientArguments,
        response_size: Octets = ONE_MEGABYTE,
        requests: int = 1,
        *,
        flow_size: Octets | None = None,
        **parameters: Any,
    ) -> str:
        """Opens HTTP/1.1 connections and keeps up their number, until `Stop Clients`. Returns the name.

        | ``target`` | address and port of the service, ``192.0.2.10:80``; the port is 80 by default |
        | ``response_size`` | bytes that each request asks for, in ten digits: ``GET /0001000000`` |
        | ``requests`` | the number of requests that a connection sends, one after the other |
        | ``flow_size`` | *DEPRECATED* the old name of ``response_size`` |
        | ``parameters`` | parameters of the tables http-client and tcp, such as ``rto=50 ms`` |

        A connection that ends well is opened again. One that fails is not (norma §8), so the clients do not
        flood a device that fails. `Start HTTP Responder` starts servers of the tester. A server of your own
        needs a file of this name and length, such as ``0001000000``: another length, or a status other than
        200, is a failed connection. The host of the requests is ``tester-000``.

        | `Start HTTP Clients` | users | 192.0.2.10:80 | connections=4000 | response_size=1 MB | rate=1000/s |
        """
        target = shared.target if shared.target.ports else replace(shared.target, ports=_HTTP)
        size = renamed(
            "Start HTTP Clients", "response_size", response_size, ONE_MEGABYTE, "flow_size", flow_size
        )
        values = {"size": size.count, "requests": requests, "linger": shared.linger}
        return self._start("http-client", replace(shared, target=target), values, parameters, _RESPONSE)

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

        | ``flow_size`` | bytes that each connection sends; 0 opens and closes it only. 1 MB by default |
        | ``hold`` | how long a connection stays open after that |
        | ``parameters`` | parameters of the tables tcp-client and tcp |

        `Find Maximum Concurrent Connections` holds connections: without ``flow_size`` they send nothing
        there.

        | `Start TCP Clients` | users | 192.0.2.10:5001 | connections=100 | flow_size=0 | rate=1000/s |
        """
        size = {} if flow_size is None else {"size": flow_size.count}
        values = {**size, "hold": hold, "linger": shared.linger}
        return self._start("tcp-client", shared, values, parameters, _FLOW)

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

        | ``target`` | address and port of `Start NAT Responder`, ``198.19.1.10:9693``; in IPv6 for NAT64 |
        | ``connections`` | the most connections that are open at once |
        | ``hold`` | how long a connection stays open; 0: until it is answered |
        | ``parameters`` | parameters of the table nat-initiator or nat64-initiator, see below |

        One frame opens a connection, and nothing is sent again. A connection counts as
        - ``timed_out`` if no answer comes within ``wait`` (500 ms);
        - ``forgotten`` if it is held, and no question of the responder comes through the device's entry for
          ``watch`` (800 ms);
        - ``moved`` if it comes from another address or port later;
        - ``untranslated`` if the responder saw its original source: the device does not translate, and
          verdicts are INCONCLUSIVE.

        Clients of NAT64 give the responder's IPv4 address behind the device's prefix.

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
        """Sends SYNs without completing any handshake, until `Stop Clients`. Returns the name.

        | ``name`` | the name of the flood, for other keywords |
        | ``target`` | address and port of the service, ``192.0.2.10:80`` |
        | ``rate`` | SYNs sent per second, ``100 k/s``; as many as the tester can by default |
        | ``sources`` | source addresses and ports of the SYNs; the port's own address by default |
        | ``total`` | the number of SYNs in all; no limit by default |
        | ``resets`` | True: each answer is reset |

        Its statistics count ``attempted``, ``answered`` and ``refused``.

        | `Start SYN Flood` | flood | 192.0.2.10:80 | rate=100 k/s | sources=198.18.2.0/24 |
        """
        return self._start("syn-flood", shared, {"resets": int(resets)})

    @keyword(tags=["clients"])
    @shares(ClientArguments, before="vlan", without=("linger",))
    def start_protocol_clients(self, shared: ClientArguments, protocol: str, **parameters: Any) -> str:
        """Opens flows of a protocol of your own, until `Stop Clients`. Returns the name.

        | ``protocol`` | a file (docs/protocols.md explains), or a shipped protocol |
        | ``target`` | addresses and ports to which flows are opened |
        | ``connections`` | the most flows that are open at once |
        | ``reopen`` | which ended flows are replaced by new ones: ``ended-well``, ``always``, ``never`` |
        | ``total`` | the number of flows in all; no limit by default |
        | ``parameters`` | parameters of its tables by name: numbers, addresses, times, amounts of data |

        The log shows the states of the protocol, and the transitions between them.

        | `Start Protocol Clients` | tunnels | ${CURDIR}/client.yaml | 10.1.0.10:7000 | connections=10 |
        """
        name = self._start(protocol, shared, {}, parameters)
        show_states(self._suite.recorder, protocol)
        return name

    @keyword(tags=["clients"])
    def stop_clients(self, *names: str, abandon: bool = False) -> SessionStatistics | None:
        """Stops clients, and returns the statistics of the last of them.

        | ``names`` | names of clients; all clients by default |
        | ``abandon`` | True: open connections are left as they are; nothing more is sent or answered |

        Open connections are ended, so that the device and the servers do not keep them. TCP resets them
        evenly within half a second, or 50,000 per second if they are fewer. It takes a second at most. They
        count as ``stopped``, neither as ``completed`` nor as ``failed``. `Get Session Statistics` still
        returns the statistics of the clients.

        | `Stop Clients` | users |
        | `Stop Clients` | users | abandon=True |
        """
        return self._suite.connections.stop(names, Clients, abandon=abandon)

    def _start(
        self,
        protocol: str,
        shared: ClientArguments,
        values: Mapping[str, Any],
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
            parameters=values,
        )
        arguments = [field.name for field in fields(ClientArguments)] + _OF_SOME
        return self._suite.connections.start(with_parameters(clients, parameters, arguments, names))
