# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Hosts with the RoCEv2 stack of a Linux kernel (`rdma_rxe`): guests of QEMU, one behind each port."""

from __future__ import annotations

import ipaddress
import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import NotInstalled, TestbedError
from ..guest import run as run_in_guest
from ..guest.image import Image, image_of
from ..guest.machine import LONGEST_BOOT, NETWORK
from ..guest.parts import Parts, Wanted, find_parts
from ..programs import begin
from ..python_process import python_command
from . import DutPort, device

if TYPE_CHECKING:
    from ...model.ports import Interface
    from ..namespace import Namespace

_MACHINE = f"{__name__.rpartition('.embedded.')[0]}.guest.machine"
_TO_SAY_WHY = 10.0  # seconds
_MEMORY_MIB = 256
WANTED = Wanted(
    modules=("rdma_rxe", "ib_uverbs"),
    optional_modules=("crc32_generic",),  # of the ICRC, until Linux 6.15
    programs={
        "ib_read_bw": "perftest",
        "ib_send_bw": "perftest",
        "ib_write_bw": "perftest",
        "ibv_devinfo": "ibverbs-utils",
        "ibv_rc_pingpong": "ibverbs-utils",
        "rdma": "iproute2",
    },
    files={
        "/etc/libibverbs.d/rxe.driver": "ibverbs-providers",
        "/usr/lib/*/libibverbs/librxe-rdmav*.so": "ibverbs-providers",
    },
)
# Without no_timer_check a kernel whose QEMU gets no CPU for some milliseconds takes its timer for broken, and
# panics; without tsc=reliable it takes its clock for unstable.
_KERNEL_LINE = "console=ttyS0 panic=-1 no_timer_check tsc=reliable mitigations=off ipv6.disable=1"
_SET_UP = """\
ip address add $ADDRESS dev eth0 || failed "cannot give $ADDRESS to eth0"
ip link set eth0 up
rdma link add rxe0 type rxe netdev eth0 || failed "cannot add rxe0"
"""


@device("rdma-guests")
def build(
    namespace: Namespace, ports: Sequence[DutPort], *, hosts: Mapping[str, str], kernel: str = "/"
) -> Mapping[str, Namespace]:
    """A guest for each port, by name and address, with the RDMA device `rxe0` on its only interface.

    The kernel is the newest one with the module rdma_rxe in `boot` and `lib/modules` of the folder `kernel`.
    """
    if len(hosts) != len(ports):
        raise TestbedError(f"{len(hosts)} hosts for {len(ports)} ports; each port needs one")
    if not Path("/dev/net/tun").exists():
        raise NotInstalled("its guests need /dev/net/tun; load the module tun: modprobe tun, as root")
    parts = find_parts(WANTED, Path(kernel))
    image = _shown(image_of(parts, _SET_UP), namespace.scratch())
    built: dict[str, Namespace] = {}
    waiting: list[Callable[[float], None]] = []
    for number, (port, (name, address)) in enumerate(zip(ports, hosts.items(), strict=True)):
        place = namespace if number == 0 else namespace.beside(port.interface)
        tap = f"tap{number}"
        place.without_ipv6()
        place.tap(tap)
        place.bridge("br0", [port.interface, tap])
        qemu = _qemu(parts, image, number, ipaddress.ip_interface(address))
        assert place.sandbox is not None
        command = python_command(_MACHINE, json.dumps([*place.sandbox.prefix(), *qemu]), tap)
        waiting.append(begin(place, command, f"guest {name}"))
        place.shell = (sys.executable, "-I", run_in_guest.__file__)
        place.system = f"Linux {parts.release}"
        built[name] = place
    for await_ready in waiting:
        await_ready(LONGEST_BOOT + _TO_SAY_WHY)
    return built


def _shown(image: Image, folder: Path) -> Image:
    """The image in a folder that the sandbox shows, for any user: the cache is a folder of this machine."""

    def copied(file: Path) -> Path:
        copy = Path(shutil.copyfile(file, folder / file.name))
        copy.chmod(0o444)
        return copy

    return Image(copied(image.kernel), copied(image.file_system))


def _qemu(parts: Parts, image: Image, number: int, address: Interface) -> list[str]:
    """The command of a guest, which gets its interface as a descriptor (`machine.py`)."""
    line = f"{_KERNEL_LINE} ADDRESS={address}"
    return [
        *(str(parts.qemu), "-nodefaults", "-display", "none", "-no-reboot", "-serial", "stdio"),
        *("-machine", "q35", "-accel", "tcg", "-cpu", "max", "-smp", "1", "-m", str(_MEMORY_MIB)),
        *("-kernel", str(image.kernel), "-initrd", str(image.file_system), "-append", line),
        *("-device", f"virtio-net-pci,netdev={NETWORK},mac=02:00:00:00:02:{number:02x},romfile="),
        *("-device", "virtio-serial-pci"),
    ]
