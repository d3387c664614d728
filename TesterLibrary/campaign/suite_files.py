# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The files that make suites what they are: their own, and those that they import or name by path."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from robot.api.parsing import (
    File,
    LibraryImport,
    ModelVisitor,
    ResourceImport,
    SettingSection,
    Token,
    VariablesImport,
    get_init_model,
    get_model,
    get_resource_model,
)
from robot.errors import DataError
from robot.parsing.model.statements import Statement
from robot.utils import normalize
from robot.variables import Variables

from ..errors import ChoiceError
from ..files.paths import PACKAGE
from ..model.units.number import counted
from ..reporting.record.digests import digest_of
from ..testbeds.run_testbed import is_same_testbed

_SUITE, _RESOURCE, _MODULE = ".robot", ".resource", ".py"  # the files that import others
_PACKAGE = "__init__.py"
_LIBRARY = ("TesterLibrary", "TesterLibrary.TesterLibrary")
_USE = "usetestbed"
_WRITERS = {  # keywords whose arguments name files that they write, or remove
    *("createfile", "createbinaryfile", "appendtofile", "touch", "removefile", "removefiles"),
    *("copyfile", "copyfiles", "movefile", "movefiles", "starttrace", "startcapture"),
}
_OUTPUTS = ("stdout=", "stderr=")  # of a program


def suite_digest(suite: Path) -> str:
    """The SHA-256 of a suite; of a folder that of its files with their names, without what running leaves."""
    if suite.is_file():
        return digest_of(suite)
    found = sha256()
    for file in inside(suite):
        found.update(f"{file.relative_to(suite)}\0{digest_of(file)}\n".encode())
    return found.hexdigest()


def inside(folder: Path) -> Iterator[Path]:
    """The files of a folder of suites, without what running leaves."""
    for file in sorted(folder.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            yield file


def imported(suites: Iterable[Path], variables: Mapping[str, str], *, within: bool = False) -> list[Path]:
    """The resources, variable files and libraries that suites import by path, and those that these import.

    So are modules that a library imports from its own folder, without those of this library, whose version
    a run records. What Robot finds by name is not among them, nor is a path with a variable that only a
    test sets.

    Args:
        suites: Files, and folders of them.
        variables: Those of the command line, by name.
        within: With files in the folders, too.
    """
    files = _files(suites)
    given = set() if within else {file.resolve() for file in files}
    found: dict[Path, None] = {}
    left = [file for file in files if file.suffix == _SUITE]
    while left:
        file = left.pop()
        paths = _modules(file) if file.suffix == _MODULE else _imports(file, variables)
        new = [path for path in paths if path not in found and path not in given]
        found.update(dict.fromkeys(new))
        left += [path for path in new if path.suffix in (_SUITE, _RESOURCE, _MODULE)]
    return sorted(found)


def named(suites: Iterable[Path], variables: Mapping[str, str]) -> list[Path]:
    """The files that suites, and what they import, name in arguments and values: jobs, captures, headers.

    A path with a variable that only a test sets is not among them, nor is an expression of Python.

    Args:
        suites: Files, and folders of them.
        variables: Those of the command line, by name.
    """
    known = {file.resolve() for file in _files(suites)}
    others = imported(suites, variables)
    read = [file for file in (*known, *others) if file.suffix in (_SUITE, _RESOURCE)]
    return sorted({path for file in read for path in _names(file, variables)} - {*known, *others})


def read_files(suites: Iterable[Path], variables: Mapping[str, str]) -> dict[Path, str]:
    """The files that Robot reads for suites, and those that tests name and do not write; with their kinds."""
    suites = list(suites)
    own = dict.fromkeys(file.resolve() for file in _files(suites) if file.suffix in (_SUITE, _RESOURCE))
    others = dict.fromkeys(imported(suites, variables, within=True))
    read = [file for file in {**own, **others} if file.suffix in (_SUITE, _RESOURCE)]
    names = {path: None for file in read for path in _names(file, variables)}
    for path in (path for file in read for path in _names(file, variables, only_written=True)):
        names.pop(path, None)
    kinds = {"file": names, "import": others, "suite": own}
    return {path: f"the {kind} {path.name}" for kind, paths in kinds.items() for path in paths}


def _files(suites: Iterable[Path]) -> list[Path]:
    return [f for path in suites for f in ((path,) if path.is_file() else inside(path))]


def check_testbeds(suites: Iterable[Path], variables: Mapping[str, str], testbed: str) -> None:
    """Refuses suites, and resources of theirs, that open another testbed than the one of a run.

    A testbed by a variable that only a test sets is looked at when it is opened.

    Raises:
        TesterLibraryError: names the first such place, and how many there are.
    """
    suites = list(suites)
    files = dict.fromkeys((*(file.resolve() for file in _files(suites)), *imported(suites, variables)))
    read = [file for file in files if file.suffix in (_SUITE, _RESOURCE)]
    others = [
        (file, opening)
        for file in read
        for opening in _openings(file, variables)
        if not is_same_testbed(opening.testbed, testbed)
    ]
    if others:
        file, opening = others[0]
        more = f"; {counted(len(others) - 1, 'more place')} like this" if len(others) > 1 else ""
        raise ChoiceError(
            f"{file}:{opening.line}: this suite opens the testbed {opening.testbed}, and the run is on "
            f"{testbed}; write {opening.instead}, which the run sets{more}"
        )


@dataclass(frozen=True)
class _Opening:
    """A place of a suite that chooses a testbed."""

    line: int
    testbed: str
    instead: str


def _openings(file: Path, variables: Mapping[str, str]) -> Iterator[_Opening]:
    """The places of one file that name a testbed which is known before it runs."""
    statements = _Statements()
    statements.visit(_model(file))
    known = _known(file, variables)
    _add_scalars(known, statements.scalars, variables)
    for statement in statements.all:
        for line, text, instead in _testbeds(statement):
            try:
                testbed = str(known.replace_string(text))  # type: ignore[no-untyped-call]
            except DataError:  # of a variable that is not known here
                continue
            yield _Opening(line, testbed, instead)


def _testbeds(statement: Statement) -> Iterator[tuple[int, str, str]]:
    """Line and text of each testbed that a statement names, and what to write in its place."""
    if isinstance(statement, LibraryImport):
        if statement.name in _LIBRARY:
            for number, token in enumerate(statement.get_tokens(Token.ARGUMENT)):
                name, equals, value = token.value.partition("=")
                if equals and name == "testbed":
                    yield token.lineno, value, "testbed=${TESTBED}"
                elif number == 0 and not equals:
                    yield token.lineno, token.value, "testbed=${TESTBED}"
        return
    words = statement.get_tokens(Token.KEYWORD, Token.NAME, Token.ARGUMENT)
    for word, argument in pairwise(words):
        if normalize(word.value.removeprefix("TesterLibrary."), ignore="_") == _USE:
            yield argument.lineno, argument.value.removeprefix("name="), "Use Testbed    ${TESTBED}"


class _Statements(ModelVisitor):  # type: ignore[no-untyped-call]
    """Collects all statements, their arguments, and the scalars of a section of variables."""

    def __init__(self) -> None:
        self.all: list[Statement] = []
        self.values: list[str] = []
        self.written: list[str] = []  # arguments of keywords that write files
        self.scalars: dict[str, str] = {}

    def visit_Statement(self, node: Statement) -> None:  # noqa: N802 - Robot's name
        self.all.append(node)
        values = [token.value for token in node.get_tokens(Token.ARGUMENT)]
        self.values += values
        keyword = (node.get_value(Token.KEYWORD) or "").rpartition(".")[2]
        writes = normalize(keyword, ignore="_") in _WRITERS
        self.written += [value for value in values if writes or value.startswith(_OUTPUTS)]
        name = node.get_value(Token.VARIABLE)
        if name and len(values) == 1:
            self.scalars[name.rstrip(" =")] = values[0]


def _names(file: Path, variables: Mapping[str, str], *, only_written: bool = False) -> Iterator[Path]:
    """The files that one file names, or those of them that it writes."""
    arguments, known = _Statements(), _known(file, variables)
    arguments.visit(_model(file))
    _add_scalars(known, arguments.scalars, variables)
    overridden = {value for name, value in arguments.scalars.items() if name.strip("${}") in variables}
    for value in dict.fromkeys(arguments.written if only_written else arguments.values):
        for text in () if value in overridden else (value, value.partition("=")[2]):
            if not text or "${{" in text:
                continue
            try:
                path = Path(known.replace_string(text)).resolve()  # type: ignore[no-untyped-call]
                if path.is_file():
                    yield path
            except (DataError, OSError, ValueError):  # of a variable that is not known here; no path
                continue


def _imports(file: Path, variables: Mapping[str, str]) -> Iterator[Path]:
    """The files that one file imports by path."""
    known = _known(file, variables)
    for section in _model(file).sections:
        if not isinstance(section, SettingSection):
            continue
        for statement in section.body:
            if isinstance(statement, (LibraryImport, ResourceImport, VariablesImport)) and statement.name:
                try:
                    name = known.replace_string(statement.name)  # type: ignore[no-untyped-call]
                except DataError:  # of a variable that is not known here
                    continue
                if (path := (file.parent / name).resolve()).is_file():
                    yield path


def _modules(file: Path) -> Iterator[Path]:
    """The modules that a module imports from its own folder, which Robot has put on Python's path."""
    root = next(folder for folder in file.parents if not (folder / _PACKAGE).exists())
    try:
        nodes = [*ast.walk(ast.parse(file.read_bytes()))]
    except SyntaxError:  # Robot says so
        return
    for node in nodes:
        if isinstance(node, ast.Import):
            folder, names = root, [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            folder = file.parents[node.level - 1] if node.level else root
            names = [".".join(filter(None, (node.module, alias.name))) for alias in node.names]
        else:
            continue
        for path in (folder.joinpath(*name.split(".")) for name in names):
            if PACKAGE in (path, *path.parents):
                continue
            packages = [each for each in (path, *path.parents) if folder in each.parents]
            for module in (each for at in packages for each in (at.with_suffix(_MODULE), at / _PACKAGE)):
                if module.is_file():
                    yield module.resolve()


def _known(file: Path, variables: Mapping[str, str]) -> Variables:
    """The variables of a file that are known before it runs."""
    known = Variables()  # type: ignore[no-untyped-call]
    place = {"/": "/", "EXECDIR": str(Path.cwd()), "CURDIR": str(file.parent)}
    for name, value in (*variables.items(), *place.items()):
        known[f"${{{name}}}"] = value
    return known


def _add_scalars(known: Variables, scalars: Mapping[str, str], variables: Mapping[str, str]) -> None:
    """Adds those of a section of variables, in whichever order they use each other."""
    waiting = {
        name: value
        for name, value in scalars.items()
        if name.strip("${}") not in variables and "${{" not in value
    }
    while waiting:
        resolved = []
        for name, value in waiting.items():
            try:
                known[name] = known.replace_string(value)  # type: ignore[no-untyped-call]
            except DataError:  # of a variable that is not known here, or not yet
                continue
            resolved.append(name)
        if not resolved:
            return
        for name in resolved:
            del waiting[name]


def _model(file: Path) -> File:
    if file.name.startswith("__init__."):
        return get_init_model(file)
    return (get_model if file.suffix == _SUITE else get_resource_model)(file)
