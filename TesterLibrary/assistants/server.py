# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The tools that an assistant has, over the Model Context Protocol."""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import ParamSpec, TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from ..errors import TesterLibraryError
from ..files.paths import names
from ..testbeds import load_testbed, shipped_testbeds
from .checks import planned, problems_of
from .documentation import Documentation
from .leased_place import LeasedPlace
from .runs import Runs, explanation

_SAFE = ("simulated/", "embedded/")  # testbeds whose frames leave no port of this machine
_LEASED = "leased"
_MOST_WAIT_S = 300.0
_MOST_SECTIONS = 20
_PROFILES = "criteria/profiles"
_SUITE, _JOB = "suite.robot", "job.yaml"

INSTRUCTIONS = """
TesterLibrary certifies network devices: Robot Framework suites with its keywords send traffic through a
device under test and judge what comes back. Ask `documentation` before you write a suite or job. Check a
suite by `check_suite`, then `run` it: on simulated/… nothing is sent, on embedded/… real traffic goes through
a Linux device in namespaces of this machine. A suite has `Library    TesterLibrary    testbed=${TESTBED}`
and calls Open Tester; its name of the testbed is given to `run`.
PASS: measured, within the bounds. FAIL: measured, out of bounds: the device is at fault. INCONCLUSIVE: the
tester cannot tell; never report it as PASS or FAIL. ERROR: the suite or a file is wrong.
"""

_P = ParamSpec("_P")
_T = TypeVar("_T")


def serve(folder: Path, leased: LeasedPlace | None) -> None:
    """Serves on standard input and output until that is closed; then a run that goes on is ended.

    Runs are kept in a folder. Without a lease nothing is sent on a real port.
    """
    server: MCPServer[object] = MCPServer(
        "TesterLibrary",
        instructions=INSTRUCTIONS,
        version=version("robotframework-testerlibrary"),
        log_level="WARNING",
    )
    runs = Runs(folder)
    tools = Tools(runs, leased)
    for tool in (
        tools.documentation,
        tools.testbeds,
        tools.check_suite,
        tools.plan,
        tools.run,
        tools.results,
        tools.explain_verdict,
        tools.stop_run,
    ):
        server.add_tool(_said(tool))
    try:
        server.run("stdio")
    finally:
        runs.end()


def _said(tool: Callable[_P, _T]) -> Callable[_P, _T]:
    """A tool whose refusals are told to the assistant; others are faults of ours, and stay here."""

    @functools.wraps(tool)
    def call(*arguments: _P.args, **named: _P.kwargs) -> _T:
        try:
            return tool(*arguments, **named)
        except (TesterLibraryError, OSError) as problem:
            raise ToolError(str(problem)) from problem

    return call


class Tools:
    """Each method is a tool; its docstring is what the assistant reads."""

    def __init__(self, runs: Runs, leased: LeasedPlace | None) -> None:
        self._runs = runs
        self._leased = leased

    @cached_property
    def _documentation(self) -> Documentation:
        return Documentation()

    def documentation(self, question: str, sections: int = 4) -> list[dict[str, str]]:
        """Answers a question by sections of the documentation, keywords with arguments, and shipped files.

        A question that is the name of a keyword, such as "Measure Loss", gives this keyword first.
        """
        answers = self._documentation.answer(question, min(sections, _MOST_SECTIONS))
        return [
            {"source": section.source, "title": section.title, "text": section.text} for section in answers
        ]

    def testbeds(self) -> list[dict[str, object]]:
        """Testbeds on which `run` may run, with their ports. embedded/… needs root on Linux."""
        beds: list[dict[str, object]] = [
            {"name": name, "ports": [port.name for port in bed.ports], "description": bed.description}
            for name, path in shipped_testbeds().items()
            if name.startswith(_SAFE)
            for bed in [load_testbed(str(path))]
        ]
        if self._leased:
            beds.append({"name": _LEASED, "ports": [], "description": f"leased of {self._leased.service}"})
        return beds

    def check_suite(self, suite: str) -> dict[str, object]:
        """Checks the text of a Robot suite without running it: unknown keywords, wrong arguments, syntax.

        A suite without problems can still be refused when it runs, for example for a port that is not there.
        """
        problems = problems_of(suite)
        return {"ok": not problems, "problems": problems}

    def plan(self, job: str, target: str = "engine") -> str:
        """Plans a job file in YAML for engine, tofino or tofino2: what each sends, and with which error.

        Nothing is sent. `documentation("job file")` shows the format.
        """
        return planned(job, target)

    def run(
        self,
        testbed: str,
        suite: str = "",
        profile: str = "",
        job: str = "",
        variables: dict[str, str] | None = None,
        wait_s: float = 60,
    ) -> dict[str, object]:
        """Runs the text of a suite, a profile of a certification, or a job file in YAML on a testbed.

        Give exactly one of suite, profile and job. Waits at most wait_s (300) seconds; `results` tells of a
        run that goes on. Real ports are refused, but for the testbed "leased" if a person has given a lease.
        """
        sources = {"suite": suite, "profile": profile, "job": job}
        if len([text for text in sources.values() if text]) != 1:
            raise TesterLibraryError("give exactly one of suite, profile and job")
        if testbed == _LEASED:
            return self._run_leased(job, wait_s)
        if not testbed.startswith(_SAFE) or testbed not in shipped_testbeds():
            raise TesterLibraryError(
                f"{testbed!r} is refused: an assistant runs on {' and '.join(f'{kind}…' for kind in _SAFE)} "
                "only, which `testbeds` names. For real ports a person leases a place of tester serve and "
                f"starts tester mcp --service URL --lease ID; then the testbed is {_LEASED!r}"
            )
        if profile and profile not in names(_PROFILES):
            raise TesterLibraryError(f"there is no profile {profile!r}; give {', '.join(names(_PROFILES))}")
        options = [
            word for name, text in (variables or {}).items() for word in ("--variable", f"{name}:{text}")
        ]
        if job:
            command = ["run", _JOB, "--testbed", testbed]
        elif profile:
            command = ["certify", "--profile", profile, "--testbed", testbed, *options]
        else:
            command = ["certify", "--suite", _SUITE, "--testbed", testbed, *options]
        run = self._runs.begin(command, {_SUITE: suite, _JOB: job})
        return self._runs.state(run.name, min(wait_s, _MOST_WAIT_S))

    def _run_leased(self, job: str, wait_s: float) -> dict[str, object]:
        leased = self._leased
        if leased is None:
            raise TesterLibraryError(
                "no person has given a lease: tester mcp --service URL --lease ID, the token in TESTER_TOKEN"
            )
        if not job:
            raise TesterLibraryError("a leased place runs a job file or a campaign: give job")
        return leased.state(leased.submit(job), wait_s)

    def results(self, run: str, wait_s: float = 0) -> dict[str, object]:
        """State, outcome, tests and reports of a run; waits at most wait_s (300) seconds for its end."""
        if place := self._place_of(run):
            return place.state(run, wait_s)
        return self._runs.state(run, min(wait_s, _MOST_WAIT_S))

    def explain_verdict(self, run: str, test: str) -> dict[str, object]:
        """Why a test has its outcome: values and bounds of its verdicts, trials and objections to them."""
        return explanation(self._runs.records(run), test)

    def stop_run(self, run: str) -> dict[str, object]:
        """Ends a run; what was measured so far is reported."""
        if place := self._place_of(run):
            place.cancel(run)
        else:
            self._runs.end(run)
        return self.results(run)

    def _place_of(self, run: str) -> LeasedPlace | None:
        """The leased place that runs it; None: it is a run of this machine."""
        return None if run.startswith("run-") else self._leased
