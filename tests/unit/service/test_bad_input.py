# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Input that is wrong is refused with status and message, changes nothing, and is in the audit.

Beside those of `test_http.py` (a token that is over, the lease of another, a body of a gigabyte),
`test_access.py` (a certificate of the wrong role) and `tests/faults/test_service_otg.py` (a configuration of
Open Traffic Generator with an unknown field).
"""

from __future__ import annotations

from pathlib import Path

from .served import JOB, served


def test_a_job_for_a_tester_that_left(tmp_path: Path) -> None:
    with served(tmp_path) as service:
        lease = service.user("alice").acquire("north")
        service.stop()
        text = service.file.read_text()
        service.file.write_text("\n".join(line for line in text.splitlines() if "north:" not in line))
        service.start()
        alice = service.user("alice")
        said = alice.error("POST", f"/v1/leases/{lease['id']}/jobs", 410, data=JOB)
        over = f"lease {lease['id']} of alice is over: north is no longer served"
        assert said == f"{over}; ask for a new one by POST /v1/leases"
        assert alice.get("/v1/jobs") == []
        audit = service.audit()
        assert ("the service", "end a lease", 410, "north is no longer served") in audit
        assert ("alice", "POST", 410, said) in audit


def test_a_campaign_whose_devices_exclude_each_other(tmp_path: Path) -> None:
    """Fleets are not the service's: it runs a campaign on the one place that is leased."""
    devices = "devices: {fw: {testbeds: [bed], excludes: [lb]}, lb: {testbeds: [bed]}}"
    campaign = f"version: 1\nsuites: [rfc2544/throughput.robot]\n{devices}\n"
    with served(tmp_path) as service:
        alice = service.user("alice")
        lease = alice.acquire("north")
        said = alice.error("POST", f"/v1/leases/{lease['id']}/jobs", 422, data=campaign)
        assert said == "job.yaml:3: devices: is the server's own; leave it out"
        assert alice.get("/v1/jobs") == []
        assert alice.get(f"/v1/leases/{lease['id']}")["state"] == "acquired"
        assert ("alice", "POST", 422, said) in service.audit()
