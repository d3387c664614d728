# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of programs that print the counters of a host: each kind of output as its program has it."""

from __future__ import annotations

import pytest

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.running.counter_source import source_of

ETHTOOL = """NIC statistics:
     rx_packets: 12
     tx_packets[0]: 7
     firmware: 4.2.1
"""
SS = (
    "0 0 198.18.1.3:80 198.18.1.2:40000\n\t cubic wscale:7,7 rto:204 bytes_retrans:1448 retrans:0/3\n"
    "0 0 198.18.1.3:80 198.18.1.2:40001\n\t cubic rto:204 bytes_retrans:2 retrans:1/1 dsack_dups:1\n"
)


@pytest.mark.parametrize(
    ("source", "words", "said", "found"),
    [
        (
            "nstat",
            ["cat", "/proc/net/snmp", "/proc/net/netstat"],
            "Tcp: InSegs RetransSegs\nTcp: 5 2\nTcpExt: TW\nTcpExt: 1\n",
            {"TcpInSegs": 5, "TcpRetransSegs": 2, "TcpExtTW": 1},
        ),
        ("ethtool eth0", ["ethtool", "-S", "eth0"], ETHTOOL, {"rx_packets": 12, "tx_packets[0]": 7}),
        (
            "ss dport = :80",
            ["ss", "-tinH", "dport", "=", ":80"],
            SS,
            {"retrans": 1, "retrans_total": 4, "rto": 408, "bytes_retrans": 1450, "dsack_dups": 1},
        ),
        ("ss", ["ss", "-tinH"], "", {}),
        (
            "rdma rxe0",
            ["rdma", "-j", "statistic", "show", "link", "rxe0/1"],
            '[{"ifname":"rxe0","port":1,"sent_pkts":100,"rcvd_pkts":10,"out_of_seq_request":1}]',
            {"port": 1, "sent_pkts": 100, "rcvd_pkts": 10, "out_of_seq_request": 1},
        ),
        ("rdma mlx5_0/2", ["rdma", "-j", "statistic", "show", "link", "mlx5_0/2"], "[]", {}),
        (
            "ip -j -s link show dev 'eth 0'",
            ["ip", "-j", "-s", "link", "show", "dev", "eth 0"],
            '[{"ifname": "eth 0", "up": true, "stats64": {"rx": {"packets": 3, "bytes": 180}}}]',
            {"stats64.rx.packets": 3, "stats64.rx.bytes": 180},
        ),
        (
            "nic-counters",
            ["nic-counters"],
            "out_of_sequence 4\nnaks = 2\nmodel CX-6\n",
            {"out_of_sequence": 4, "naks": 2},
        ),
        ("two", ["two"], '{"qp": [{"naks": 1}, {"naks": 2}]}', {"qp.0.naks": 1, "qp.1.naks": 2}),
    ],
)
def test_counters_are_read(source: str, words: list[str], said: str, found: dict[str, int]) -> None:
    read = source_of(source)
    assert list(read.words) == words
    assert read.read(said) == found


def test_a_source_without_what_it_needs_is_refused() -> None:
    with pytest.raises(TesterLibraryError, match="give one interface, such as 'ethtool eth0'"):
        source_of("ethtool")
    with pytest.raises(TesterLibraryError, match="no source of counters"):
        source_of(" ")
