# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A network namespace and what is done in it. The only file that knows pyroute2, which is untyped.

Only the host process of a testbed (`host.py`) uses it: it is single-threaded, so moving it between
namespaces moves nothing else.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import struct
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from ipaddress import IPv4Network, IPv6Address, IPv6Network
from pathlib import Path
from socket import AF_INET, AF_INET6
from typing import Any

from pyroute2 import IPRoute
from pyroute2.ethtool.ioctl import IoctlEthtool
from pyroute2.netlink.nfnetlink.nfctsocket import NFCTSocket

from ..errors import TestbedError
from ..model.ports import Interface
from ..model.units.units import Duration
from .address_limit import limit_addresses
from .sandbox import Sandbox

ETHERNET_HEADER = 14  # bytes
_CLONE_NEWNET = 0x40000000
_TUNSETIFF, _TUNSETPERSIST = 0x400454CA, 0x400454CB  # linux/if_tun.h
_IFF_TAP, _IFF_NO_PI = 0x0002, 0x1000
_libc = ctypes.CDLL(None, use_errno=True)

# For a veth the kernel completes checksums, cuts segments and adds VLAN tags only when frames leave the
# machine, which they never do. Without offloads a frame looks on the other side as it would on a cable.
_OFFLOADS = (
    "tx-checksum-ip-generic",
    "tx-checksum-sctp",
    "tx-tcp-segmentation",
    "tx-udp-segmentation",
    "tx-generic-segmentation",
    "tx-vlan-hw-insert",
    "tx-vlan-stag-hw-insert",
    "rx-vlan-hw-parse",
    "rx-vlan-stag-hw-parse",
    "rx-gro",
)


def _link_local(address: Interface) -> IPv6Address:
    """The link-local address with the interface identifier of a global one (RFC 4291 §2.5.6)."""
    return IPv6Address(0xFE80 << 112 | int(address.ip) & (1 << 64) - 1)


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


@contextmanager
def inside(handle: int) -> Iterator[None]:
    """Moves this thread into the network namespace of a descriptor for a while."""
    here = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        _checked(_libc.setns(handle, _CLONE_NEWNET), "setns")
        try:
            yield
        finally:
            _checked(_libc.setns(here, _CLONE_NEWNET), "setns")
    finally:
        os.close(here)


class Namespace:
    """The network namespace that this process is in when the object is made."""

    def __init__(self) -> None:
        self.handle = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        self._route: Any = IPRoute()
        self.cpu: int | None = None  # set by `receive_on`
        self.shell: tuple[str, ...] = ()  # words before those of a program that a guest in it is to run
        self.system = ""  # of such a guest
        self.sandbox: Sandbox | None = None  # of its programs
        self._receive_mask = ""  # for each new interface, where the kernel has no default for it
        self.unsteered = ""

    @classmethod
    def create(cls) -> Namespace:
        """A new namespace, which lives as long as this process or any in it. This process stays outside."""
        here = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        try:
            _checked(_libc.unshare(_CLONE_NEWNET), "a new network namespace")
            return cls()
        finally:
            _checked(_libc.setns(here, _CLONE_NEWNET), "the way back to the first network namespace")
            os.close(here)

    def beside(self, interface: str) -> Namespace:
        """A new namespace with an interface of this one, which is up there and has no address."""
        other = Namespace.create()
        other.cpu, other.sandbox = self.cpu, self.sandbox
        other.silence()
        self._route.link("set", index=self._index(interface), net_ns_fd=other.handle)
        other.up(interface)
        return other

    def scratch(self) -> Path:
        """A new folder for files of its programs."""
        if self.sandbox is None:
            raise TestbedError("a namespace whose programs have no sandbox has no folder for their files")
        return self.sandbox.scratch()

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Moves this process into the namespace for a while."""
        with inside(self.handle):
            yield

    def sysctl(self, name: str, value: int | str, *, optional: bool = False) -> None:
        """Sets `net.<name>`; an optional one may be missing in this kernel."""
        path = Path("/proc/sys/net", *name.split("."))
        with self.entered():
            if optional and not path.exists():
                return
            path.write_text(f"{value}\n")

    def silence(self) -> None:
        """Makes interfaces that come later send nothing by themselves and refuse nothing."""
        for name, value in {
            "ipv6.conf.default.accept_ra": 0,
            "ipv6.conf.default.accept_dad": 0,
            "ipv6.conf.default.dad_transmits": 0,
            "ipv6.conf.default.addr_gen_mode": 1,  # no link-local address, so no MLD report for it
            "ipv6.conf.default.router_solicitations": 0,
            "ipv6.conf.default.mldv2_unsolicited_report_interval": 1,  # ms: soon over
            "ipv6.conf.default.accept_redirects": 0,
            "ipv4.conf.all.rp_filter": 0,
            "ipv4.conf.default.rp_filter": 0,
            "ipv4.conf.default.accept_redirects": 0,
            "ipv4.igmp_link_local_mcast_reports": 0,
        }.items():
            self.sysctl(name, value, optional=name.startswith("ipv6"))

    def without_ipv6(self) -> None:
        """Disables IPv6 in this namespace, now and later."""
        for scope in ("all", "default"):
            self.sysctl(f"ipv6.conf.{scope}.disable_ipv6", 1, optional=True)

    def veth(
        self, name: str, peer: str, other: Namespace, *, mac: bytes, peer_mac: bytes, mtu: int | None = None
    ) -> None:
        """A pair of interfaces: one here, its peer in the other namespace. Both are up, without offloads."""
        self._route.link(
            "add",
            ifname=name,
            kind="veth",
            address=mac.hex(":"),
            num_tx_queues=1,
            num_rx_queues=1,
            peer={
                "ifname": peer,
                "net_ns_fd": other.handle,
                "address": peer_mac.hex(":"),
                "num_tx_queues": 1,
                "num_rx_queues": 1,
            },
        )
        for namespace, end in ((self, name), (other, peer)):
            if mtu is not None:
                namespace.mtu(end, mtu)
            namespace._without_offloads(end)
            namespace._steer(end)
            namespace.up(end)

    def bridge(self, name: str, members: Sequence[str]) -> None:
        """A learning bridge over interfaces: forwards at once, without spanning tree or snooping."""
        self._route.link("add", ifname=name, kind="bridge")
        index = self._index(name)
        self._route.link(
            "set",
            index=index,
            kind="bridge",
            br_stp_state=0,
            br_forward_delay=0,
            br_mcast_snooping=0,
            br_mcast_querier=0,
        )
        for hook in ("iptables", "ip6tables", "arptables"):
            self.sysctl(f"bridge.bridge-nf-call-{hook}", 0, optional=True)
        for member in members:
            self._route.link("set", index=self._index(member), master=index)
        self.up(name)

    def tap(self, name: str) -> None:
        """An interface whose other end is a program that opens it, up. Frames in it have no offloads."""
        request = struct.pack("16sH22x", name.encode(), _IFF_TAP | _IFF_NO_PI)
        with self.entered(), open("/dev/net/tun", "rb", buffering=0) as control:  # noqa: PTH123 - a device
            fcntl.ioctl(control, _TUNSETIFF, request)
            fcntl.ioctl(control, _TUNSETPERSIST, 1)
        self.up(name)

    def vxlan(self, name: str, network: int, *, local: str, remote: str) -> None:
        """A tunnel of Ethernet frames over UDP port 4789 and IPv4 (RFC 7348), up, to one other end."""
        self._route.link(
            "add",
            ifname=name,
            kind="vxlan",
            vxlan_id=network,
            vxlan_local=local,
            vxlan_group=remote,
            vxlan_port=4789,
        )
        self.up(name)

    def ageing(self, bridge: str, time: Duration) -> None:
        """After how long a bridge forgets an address from which nothing came."""
        self._route.link("set", index=self._index(bridge), kind="bridge", br_ageing_time=time.ns // 10**7)

    def most_addresses(self, bridge: str, count: int) -> None:
        """Limits the addresses that a bridge learns."""
        index = self._index(bridge)
        with self.entered():
            limit_addresses(index, count)

    def snooping(
        self,
        bridge: str,
        *,
        last_member: Duration,
        query: Duration,
        membership: Duration,
        most_groups: int | None = None,
    ) -> None:
        """Has a bridge forward multicast groups to their members only, and ask for members itself.

        Linux floods until the longest time of an answer is over, even if nobody else asks: it is made short.
        """
        given = {} if most_groups is None else {"br_mcast_hash_max": most_groups}
        self._route.link(
            "set",
            index=self._index(bridge),
            kind="bridge",
            br_mcast_query_response_intvl=10,  # hundredths of a second
            br_mcast_last_member_intvl=last_member.ns // 10**7,
            br_mcast_query_intvl=query.ns // 10**7,
            br_mcast_startup_query_intvl=min(query.ns, 31_250_000_000) // 10**7,
            br_mcast_membership_intvl=membership.ns // 10**7,
            **given,
        )
        self.snoop(bridge)

    def snoop(self, bridge: str) -> None:
        """Switches on snooping, which a bridge gives up by itself that was asked for too many groups."""
        index = self._index(bridge)
        for wanted in ({"br_mcast_snooping": 1}, {"br_mcast_querier": 1}):
            self._route.link("set", index=index, kind="bridge", **wanted)

    def address(self, interface: str, address: Interface) -> None:
        """Gives an interface an address; there is no duplicate detection to wait for.

        With a global IPv6 address comes a link-local one: Linux asks for neighbours from no other when it
        forwards.
        """
        index = self._index(interface)
        self._route.addr("add", index=index, address=str(address.ip), prefixlen=address.network.prefixlen)
        if address.version == 6 and not address.is_link_local:
            self._route.addr("replace", index=index, address=str(_link_local(address)), prefixlen=64)

    def gateway(self, address: str, mtu: int) -> None:
        """Sends what is for other networks to this address, in packets of so many bytes at most."""
        self._route.route("add", dst="default", gateway=address, metrics={"mtu": mtu})

    def route(self, destination: IPv4Network | IPv6Network, interface: str) -> None:
        """Sends what is for a network to an interface."""
        family = AF_INET if destination.version == 4 else AF_INET6
        index = self._index(interface)
        self._route.route("add", dst=str(destination), oif=index, family=family)

    def has(self, interface: str) -> bool:
        """Whether there is an interface of that name."""
        return bool(self._route.link_lookup(ifname=interface))

    def token_bucket(self, interface: str, rate_bps: int, burst: int, queue: int) -> None:
        """Limits the rate of departures; `burst` bytes leave at once, `queue` bytes wait, others are lost."""
        index = self._index(interface)
        self._route.tc("add", "tbf", index=index, rate=rate_bps // 8, burst=burst, limit=queue)

    def forget_connections(self) -> None:
        """Empties the connection table of the kernel for this namespace."""
        with self._connections() as table:
            table.flush()

    def forget_marked(self, marks: int, rate: int) -> None:
        """Empties that table at so many connections each second, mark after mark from 1 to `marks`."""
        with self._connections() as table:
            entries = int(Path("/proc/sys/net/netfilter/nf_conntrack_count").read_text())
            began = time.monotonic()
            for mark in range(1, marks + 1) if entries else ():
                time.sleep(max(0.0, began + entries * mark / marks / rate - time.monotonic()))
                table.flush(mark=mark, mark_mask=0xFFFFFFFF)

    @contextmanager
    def _connections(self) -> Iterator[Any]:
        with self.entered():
            table: Any = NFCTSocket()
            try:
                yield table
            finally:
                table.close()

    def receive_on(self, cpu: int) -> None:
        """Makes the kernel process frames for interfaces that come later on that CPU.

        A veth otherwise hands a frame to its peer on the CPU of the sender, so that the device would work
        on the tester's. Measured: of 2,000,000 frames sent by CPU 1 through the bridge to CPU 0's share,
        CPU 0 spent 1.2 s in softirqs and CPU 1 0.1 s; without this 0.02 s and 1.0 s.

        `unsteered` says why if it cannot be, once there are interfaces: Linux before 6.3 lets only the
        machine's root do it.
        """
        self.cpu = cpu
        mask = f"{1 << cpu:x}"
        if Path("/proc/sys/net/core/rps_default_mask").exists():
            self.sysctl("core.rps_default_mask", mask)
        else:
            self._receive_mask = mask
            with self._unless_forbidden():
                self._mount_sysfs()

    def counters(self, interfaces: Sequence[str]) -> dict[str, dict[str, int]]:
        """The kernel's 64-bit counters of these interfaces."""
        links = {link.get_attr("IFLA_IFNAME"): link for link in self._route.get_links()}
        return {name: dict(links[name].get_attr("IFLA_STATS64")) for name in interfaces}

    def received_by_xdp(self, interface: str) -> int:
        """Frames that a veth has received through its NAPI, as it does where an XDP program is attached."""
        with self.entered():
            ethtool: Any = IoctlEthtool(interface)
            statistics: Mapping[str, int] = dict(ethtool.get_statistics())
            ethtool.close()
        return statistics.get("rx_queue_0_xdp_packets", 0)

    def _index(self, name: str) -> int:
        found = self._route.link_lookup(ifname=name)
        if not found:
            raise OSError(f"there is no interface {name!r}")
        return int(found[0])

    def up(self, name: str) -> None:
        """Switches an interface on."""
        self._route.link("set", index=self._index(name), state="up")

    def down(self, name: str) -> None:
        """Switches an interface off, by which its peer loses the carrier."""
        self._route.link("set", index=self._index(name), state="down")

    def mtu(self, name: str, octets: int) -> None:
        """Sets the longest packet of an interface, in bytes behind the Ethernet header."""
        self._route.link("set", index=self._index(name), mtu=octets)

    def _steer(self, name: str) -> None:
        if self._receive_mask and not self.unsteered:
            with self._unless_forbidden():
                Path("/sys/class/net", name, "queues/rx-0/rps_cpus").write_text(self._receive_mask)

    @contextmanager
    def _unless_forbidden(self) -> Iterator[None]:
        try:
            yield
        except PermissionError as problem:
            self.unsteered = f"receive packet steering needs root or Linux 6.3 ({problem})"

    def _mount_sysfs(self) -> None:
        """Shows this namespace's interfaces in /sys, for this process alone: it has its own mounts."""
        with self.entered():
            _checked(_libc.mount(b"sysfs", b"/sys", b"sysfs", 0, None), "a /sys of its own")

    def _without_offloads(self, name: str) -> None:
        with self.entered():
            ethtool: Any = IoctlEthtool(name)
            features = ethtool.get_features()
            for offload in [feature for feature, *_ in features if feature in _OFFLOADS]:
                features[offload] = False
            ethtool.set_features(features)
            ethtool.close()
