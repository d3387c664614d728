# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The runs of an assistant: one at a time, each `tester certify` or `tester run` in a folder of its own."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import TesterLibraryError
from ..reporting.pages.rebuild import evidence_of
from ..reporting.record.records import Records, TestRecord, read
from ..testbeds.python_process import python_command
from ..verdict import Verdict
from .checks import COMMANDS

_SHOWN = 40  # lines of the console
_MOST_TRIALS = 20  # of one test, the last ones
_PATIENCE_S = 60.0  # with a run that is told to end


@dataclass
class AssistantRun:
    """A run that goes on, or one that is over."""

    name: str
    process: subprocess.Popen[bytes]

    @property
    def is_over(self) -> bool:
        """Whether the command has ended."""
        return self.process.poll() is not None

    def wait(self, seconds: float) -> None:
        """Until it is over, but no longer than this."""
        try:
            self.process.wait(max(seconds, 0))
        except subprocess.TimeoutExpired:
            return

    def stop(self) -> None:
        """Ends it as Ctrl-C does: what was measured is reported."""
        if not self.is_over:
            self.process.send_signal(signal.SIGINT)
            self.wait(_PATIENCE_S)


@dataclass
class Runs:
    """All runs of a folder, of this process and of earlier ones."""

    folder: Path
    _current: AssistantRun | None = field(default=None, init=False)

    def begin(self, command: Sequence[str], files: dict[str, str]) -> AssistantRun:
        """Begins a command of `tester`. A word that names one of the files is replaced by its path.

        Raises:
            TesterLibraryError: another run goes on.
        """
        if self._current and not self._current.is_over:
            raise TesterLibraryError(
                f"the run {self._current.name} goes on; wait for it by results, or end it by stop_run"
            )
        name = self._next_name()
        output = self.folder / name
        words = [
            str(_write(self.folder / f"{name}-{word}", files[word])) if word in files else word
            for word in command
        ]
        with _console(output).open("wb") as console:
            process = subprocess.Popen(
                python_command(COMMANDS, *words, "--output", str(output)),
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._current = AssistantRun(name, process)
        return self._current

    def end(self, name: str = "") -> None:
        """Ends the run of this name if it goes on; without a name, the one that does."""
        if self._current and name in ("", self._current.name):
            self._current.stop()

    def state(self, name: str, wait_s: float = 0) -> dict[str, object]:
        """The console of a run, and its outcome, tests and reports when it is over."""
        folder = self._folder_of(name)
        run = self._current if self._current and self._current.name == name else None
        if run:
            run.wait(wait_s)
        lines = _console(folder).read_text(encoding="utf-8", errors="replace").splitlines()
        state: dict[str, object] = {"run": name, "folder": str(folder), "console": lines[-_SHOWN:]}
        if run and not run.is_over:
            return {**state, "state": "running"}
        return {**state, "state": "ended", **_outcome(folder)}

    def records(self, name: str) -> Records:
        """The records of a run. TesterLibraryError: there are none."""
        evidence = evidence_of(self._folder_of(name))
        if not (evidence / "run.json").is_file():
            raise TesterLibraryError(f"the run {name} has no records: {evidence} has no run.json")
        return read(evidence)

    def _folder_of(self, name: str) -> Path:
        if name not in (names := self._names()):
            raise TesterLibraryError(f"there is no run {name!r}; there are: {', '.join(names) or 'none'}")
        return self.folder / name

    def _names(self) -> list[str]:
        return sorted((path.stem for path in self.folder.glob("run-*.log")), key=lambda name: int(name[4:]))

    def _next_name(self) -> str:
        self.folder.mkdir(parents=True, exist_ok=True)
        return f"run-{int(names[-1][4:]) + 1 if (names := self._names()) else 1}"


def explanation(records: Records, name: str) -> dict[str, object]:
    """The verdicts of a test with values and bounds, and the last of its trials with their objections.

    Raises:
        TesterLibraryError: there is no such test.
    """
    test = next((test for test in records.tests if name in (test.test, f"{test.suite}.{test.test}")), None)
    if test is None:
        tests = ", ".join(repr(test.test) for test in records.tests) or "none"
        raise TesterLibraryError(f"the run has no test {name!r}; it has: {tests}")
    return {
        "test": test.test,
        "outcome": test.outcome,
        "said": test.said,
        "verdicts": [_verdict(verdict) for verdict in records.verdicts_of(test)],
        "trials": _trials(records, test)[-_MOST_TRIALS:],
    }


def _verdict(verdict: Verdict) -> dict[str, str]:
    return {
        "outcome": verdict.outcome.value,
        "subject": verdict.subject,
        "measured": verdict.measured,
        "required": verdict.bound,
        "reason": verdict.reason,
        "limited_by": verdict.limit,
    }


def _trials(records: Records, test: TestRecord) -> list[dict[str, object]]:
    return [
        {
            "number": record.trial.number,
            "result": str(record.trial),
            "objections": list(record.trial.objections),
        }
        for record in records.trials
        if (record.place.suite, record.place.test) == (test.suite, test.test)
    ]


def _outcome(folder: Path) -> dict[str, object]:
    certificate = folder / "certificate.json"
    if not certificate.is_file():
        return {"outcome": "ERROR", "tests": [], "said": "the run has no certificate; see its console"}
    content = json.loads(certificate.read_text(encoding="utf-8"))
    tests = [
        {key: test.get(key, "") for key in ("suite", "test", "outcome", "said", "traffic")}
        for testbed in content["testbeds"]
        for test in testbed["tests"]
    ]
    reports = [str(folder / name) for name in ("certificate.html", "log.html") if (folder / name).is_file()]
    return {"outcome": content["outcome"], "tests": tests, "reports": reports}


def _console(folder: Path) -> Path:
    """The file with all output of the command of a run."""
    return folder.with_suffix(".log")


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
