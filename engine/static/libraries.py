#!/usr/bin/env python3
# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Prints the arguments with which a linker puts DPDK and what it needs into testerd, one a line.

Drivers register themselves before main, so all of their archives are taken; of the others what is used is.
Which file came from which package of the system: `tools/wheels.py`.
"""

from __future__ import annotations

import subprocess

# Ports of the kernel and of processes, and the cards that Debian builds drivers for and that send frames.
DRIVERS = (
    *("common_iavf", "common_mlx5", "common_sfc_efx", "bus_auxiliary", "bus_pci", "bus_vdev", "bus_vmbus"),
    *(
        "mempool_ring",
        "mempool_stack",
        "net_af_packet",
        "net_af_xdp",
        "net_atlantic",
        "net_axgbe",
        "net_bnxt",
    ),
    *("net_cxgbe", "net_e1000", "net_ena", "net_enic", "net_fm10k", "net_hns3", "net_i40e", "net_iavf"),
    *("net_ice", "net_igc", "net_ixgbe", "net_memif", "net_mlx4", "net_mlx5", "net_netvsc", "net_nfp"),
    *("net_null", "net_pcap", "net_qede", "net_ring", "net_sfc", "net_tap", "net_txgbe", "net_vdev_netvsc"),
    *("net_vhost", "net_virtio", "net_vmxnet3"),
)
OTHERS = (
    *("pcap", "mlx5", "mlx4", "ibverbs", "nl-route-3", "nl-3", "xdp", "bpf", "elf", "numa", "bsd", "md"),
    *("jansson", "fdt", "atomic", "crypto", "z"),
)


def core() -> list[str]:
    """DPDK's libraries that are no drivers, in the order in which each needs those behind it."""
    words = subprocess.run(
        ["pkg-config", "--static", "--libs", "libdpdk"], capture_output=True, text=True, check=True
    ).stdout.split()
    archives = [word for word in words if word.startswith("-l:librte_")]
    return archives[archives.index("-l:librte_node.a") :]


def main() -> None:
    """Prints them."""
    drivers = ",".join(f"-l:librte_{name}.a" for name in DRIVERS)
    print(f"-Wl,--whole-archive,{drivers},--no-whole-archive")
    print("\n".join(core()))
    print("\n".join(f"-l:lib{name}.a" for name in OTHERS))
    print("-static-libstdc++\n-static-libgcc\n-Wl,--gc-sections")


if __name__ == "__main__":
    main()
