# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The rate is read from a report of wrk."""

from __future__ import annotations

import pytest

from benchmarks.senders.wrk import requests_per_second

REPORT = "  18300 requests in 1.00s, 23.9MB read\nRequests/sec:  18240.51\nTransfer/sec:     23.80MB\n"


def test_the_rate_is_read() -> None:
    assert requests_per_second(REPORT) == 18240.51


@pytest.mark.parametrize(
    ("report", "why"),
    [
        (REPORT.replace("Requests/sec", "Latency"), "no Requests/sec"),
        (
            f"  Socket errors: connect 0, read 3, write 0, timeout 0\n{REPORT}",
            "Socket errors: connect 0, read 3",
        ),
        (f"  Non-2xx or 3xx responses: 7\n{REPORT}", "Non-2xx or 3xx responses: 7"),
    ],
)
def test_requests_that_failed_are_no_rate(report: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        requests_per_second(report)
