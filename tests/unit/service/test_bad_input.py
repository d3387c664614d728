# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Input that is wrong is refused with status and message, changes nothing, and is in the audit.

Beside those of `test_http.py` (a token that is over, the lease of another, a body of a gigabyte),
`test_access.py` (a certificate of the wrong role) and `tests/faults/test_service_otg.py` (a configuration of
Open Traffic Generator with an unknown field).
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from robot.api.parsing import ModelVisitor, get_model, get_resource_model

from TesterLibrary.campaign.campaign_file import load_campaign
from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.files.paths import data_root
from TesterLibrary.reporting.trend.address import Address
from TesterLibrary.service.config import shipped_places
from TesterLibrary.service.door import Door
from TesterLibrary.service.ledger import Ledger
from TesterLibrary.service.store import KIND, Store
from TesterLibrary.service.web.connections import Connections

from .served import JOB, Served, served


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


def test_no_suite_makes_python_of_what_a_campaign_says() -> None:
    """Robot puts the text of ${NAME} into an expression, $NAME is a value; a campaign gives the text."""
    calls = r"\b(?:IF|WHILE|Evaluate|Should Be True|Set Variable If)  +(\S(?: ?\S)*)"
    expressions = re.compile(rf"{calls}|\$\{{\{{(.*?)\}}\}}")
    files = [path for part in ("suites", "resources") for path in (data_root() / part).rglob("*.r[oe]*")]
    found = [(path.name, *match) for path in files for match in expressions.findall(path.read_text())]
    assert ("rfc2544.resource", "str($DIRECTIONS) in ('1', '2')", "") in found
    assert [where for where in found if re.search(r"[$@&%]\{(?!\{)", "".join(where[1:]))] == []


# Keywords that split a single word, and how many arguments are before it.
_HOST_KEYWORDS = {"runonhost": 1, "startonhost": 1, "setcountersource": 1, "runindevice": 0}
_NAMED = re.compile(r"(status|timeout|name)=")


def _shipped() -> Iterator[tuple[str, Any]]:
    for part in ("suites", "resources"):
        for path in sorted((data_root() / part).rglob("*.r[oe]*")):
            is_suite = path.suffix == ".robot"
            yield path.name, (get_model if is_suite else get_resource_model)(str(path))


def _split_words(cells: list[str]) -> Iterator[str]:
    """Yields the faults of a call: a program whose words are split, or a text that may be an option."""
    for number, cell in enumerate(cells):
        before = _HOST_KEYWORDS.get(cell.lower().replace(" ", "").replace("_", ""))
        if before is None:
            continue
        words = [word for word in cells[number + 1 + before :] if not _NAMED.match(word)]
        if sum(not word.startswith("@{") for word in words) <= 1 and "{" in "".join(words):
            yield f"{cell} splits {words}"
        for place, word in enumerate(words[1:], start=1):
            if word.startswith("${") and "--" not in words[:place]:
                yield f"{cell} takes {word} for an option"


def test_no_suite_makes_words_or_options_of_what_a_campaign_says() -> None:
    assert list(_split_words(["Run On Host", "client", "curl ${URL}"])) == [
        "Run On Host splits ['curl ${URL}']"
    ]
    assert list(_split_words(["Run On Host", "client", "curl", "${URL}", "timeout=3 s"])) == [
        "Run On Host takes ${URL} for an option"
    ]
    calls, problems = 0, []

    class Calls(ModelVisitor):
        def visit_KeywordCall(self, call: Any) -> None:  # noqa: N802
            self.look([call.keyword, *call.args])

        def visit_Setup(self, setup: Any) -> None:  # noqa: N802
            self.look([setup.name, *setup.args])

        visit_Teardown = visit_SuiteSetup = visit_SuiteTeardown = visit_Setup  # noqa: N815
        visit_TestSetup = visit_TestTeardown = visit_Setup  # noqa: N815

        def look(self, cells: list[str]) -> None:
            nonlocal calls
            calls += "Run On Host" in cells
            problems.extend(_split_words(cells))

    for _, model in _shipped():
        Calls().visit(model)
    assert calls >= 5
    assert problems == []


def test_no_suite_imports_what_a_campaign_says(tmp_path: Path) -> None:
    """A campaign may not set the two variables that name files of variables."""
    imports = set()

    class Imports(ModelVisitor):
        def visit_LibraryImport(self, imported: Any) -> None:  # noqa: N802
            imports.add(imported.name)

        visit_ResourceImport = visit_VariablesImport = visit_LibraryImport  # noqa: N815

    for _, model in _shipped():
        Imports().visit(model)
    assert "TesterLibrary" in imports
    assert "Process" not in imports
    named = {name for name in imports if "{" in name}
    assert named == {"${PROFILE_FILE}", "${CRITERIA_FILE}"}
    for name in named:
        campaign = f"version: 1\nsuites: [rfc2544]\nvariables: {{{name.strip('${}')}: x.py}}\n"
        file = tmp_path / "campaign.yaml"
        file.write_text(campaign)
        with pytest.raises(TesterLibraryError, match="is set from testbeds, profile and criteria"):
            load_campaign(file)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("service")) as service:
        yield service


_SUITES = "version: 1\nsuites: "


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{JOB}testbed: {{a: b}}", "testbed: {'a': 'b'} is not the place that is leased, 'north'"),
        (f"{_SUITES}[rfc2544]\ntestbeds: [[x]]", "testbeds[0]: ['x'] is not the place that is leased"),
        (f'{_SUITES}["a\\0b"]', "suites[0]: there is no 'a\\x00b' here; there are "),
        (f'{_SUITES}[rfc2544]\nprofile: "a\\0b"', "profile: there is no 'a\\x00b' here; there are "),
        (f'{_SUITES}["\\ud800"]', r"job.yaml:2: suites[0]: '\ud800' has half of a character"),
        (f'{JOB}"\\ud800": 1', r"'\ud800' has half of a character"),
        (
            f"{_SUITES}[{'a' * 5000}]",
            "suites[0]: there is no 'aaaaaaaaaaaa...aaaaaaaaaaaaa' here; there are ",
        ),
        ("[" * 20_000, "job.yaml: nested too deeply; that is no submission file"),
        (f'{_SUITES}["\\UFFFFFFFF"]', "job.yaml: not YAML: "),
    ],
    ids=["testbed", "testbeds", "null", "profile", "surrogate", "key", "long", "deep", "beyond"],
)
def test_what_is_submitted_is_refused_by_name(service: Served, text: str, said: str) -> None:
    alice = service.user("alice")
    lease = alice.acquire("north")
    told = alice.error("POST", f"/v1/leases/{lease['id']}/jobs", 422, data=text.encode())
    alice.release(lease)
    assert said in told
    assert any(line[:3] == ("alice", "POST", 422) and said[:100] in line[3] for line in service.audit())
    assert alice.get("/v1/health")["status"] == "ok"


def test_no_path_of_the_server_is_told(service: Served) -> None:
    """`tester run` tells its user where files are; what a stranger is told has no folder of the server."""
    alice = service.user("alice")
    lease = alice.acquire("south")
    text = f"{_SUITES}[rfc2544/throughput.robot]\n"
    told = alice.error("POST", f"/v1/leases/{lease['id']}/jobs", 422, data=text.encode())
    alice.release(lease)
    assert "there are no criteria for the testbed" in told
    assert str(data_root()) not in told
    assert str(service.folder) not in told


def test_words_that_are_no_text_are_refused(service: Served) -> None:
    alice = service.user("alice")
    body, kind = b'{"tags": {"\\ud800": "x"}}', {"Content-Type": "application/json"}
    said = alice.error("POST", "/v1/leases", 422, data=body, headers=kind)
    assert "unable to parse raw data as a unicode string" in said
    assert any(line[:3] == ("alice", "POST", 422) and line[3] == said for line in service.audit())


def test_what_nobody_has_thought_of_is_an_answer_and_a_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async def broken(*_: Any) -> None:
        raise LookupError("a secret")

    async def asked() -> tuple[list[Any], list[Any]]:
        store = Store(Address.parse(tmp_path / "service.sqlite", KIND))
        ledger = Ledger(store)
        connections, client = Connections(), ("127.0.0.1", 1)
        connections.uids[client] = os.geteuid()
        door = Door(broken, shipped_places(), ledger, connections)
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        host = (b"host", b"localhost")
        scope = {"type": "http", "method": "GET", "path": "/v1/me", "headers": [host], "client": client}
        await door(scope, lambda: asyncio.sleep(0, {}), send)
        lines = await ledger.ask(lambda store: store.audit(0, 10))
        ledger.close()
        return sent, lines

    sent, lines = asyncio.run(asked())
    assert sent[0]["status"] == 500
    answer = json.loads(sent[1]["body"])
    assert answer["status"] == 500
    assert "the service has failed" in answer["error"]
    assert "secret" not in answer["error"]
    assert [(line.who, line.did, line.subject, line.status) for line in lines] == [
        ("local", "GET", "/v1/me", 500)
    ]
    assert "a secret" in capfd.readouterr().err  # for the owner
