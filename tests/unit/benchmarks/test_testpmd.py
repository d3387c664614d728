# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The output of testpmd is read, from recordings of version 22.11."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.senders.testpmd import tx_packets

RECORDED = Path(__file__).with_name("recorded")


def test_frames_sent_so_far():
    assert tx_packets((RECORDED / "testpmd_port_stats.txt").read_text()) == 28108960


def test_frames_of_all_ports_are_summed():
    answer = "  TX-packets: 17         TX-errors: 0\n"
    assert tx_packets(answer + answer) == 34


def test_zero_is_a_count():
    assert tx_packets("  TX-packets: 0          TX-errors: 0          TX-bytes:  0\n") == 0


def test_another_answer_is_no_count():
    with pytest.raises(ValueError, match="no TX-packets"):
        tx_packets((RECORDED / "testpmd_start.txt").read_text())


def test_what_it_received_is_not_what_it_sent():
    with pytest.raises(ValueError, match="no TX-packets"):
        tx_packets("  RX-packets: 17         RX-missed: 0          RX-bytes:  0\n")
