# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A submission of a user: the YAML of a campaign or of a job file, held to what a stranger may ask for.

It names no file of the server but suites, criteria and profiles that come with the library or are in the
folders of the service; and it is run on the place that is leased, on no other.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import TesterLibraryError
from ..files.document import Document, Kind, Place, read_document, write_document
from ..files.job import is_job_file
from ..files.paths import data_root, suite_root
from .config import ServedPlace
from .refusal import Wrong

FILE = "job.yaml"
CAMPAIGN, STREAMS = "campaign", "streams"
_KIND = Kind("submission", TesterLibraryError)
# Keys of a campaign by which the server would write or sign, or use other places than the one that is leased.
_OURS = ("output", "database", "key", "testers", "devices", "needs")
# A path that leads out of the job's folder, in any word of a text: `file=/etc/passwd`, `-K/etc/x`, `file:///etc`.
# What is behind the host of a URL is no path of this machine, unless it has `..`.
_URL = re.compile(r"""\bhttps?://[\w.\[][^\s"'`<>|(),;]*""", re.IGNORECASE)
_BEGIN = r"""(?:^|(?<=[\s=:,;@'"`(\[{<>|&])|(?:^|(?<=\s))-[\w-]+)"""
_ABSOLUTE = re.compile(rf"{_BEGIN}(?:/(?=\S)|~(?=[A-Za-z_/]|$))")
_PARENT = re.compile(rf"""(?:{_BEGIN}|/)\.\.(?=$|[\s/=:,;'"`)\]}}<>|&])""")


@dataclass(frozen=True)
class Submission:
    """A file that is ready to be run."""

    kind: str
    title: str


def prepare(text: bytes, folder: Path, place: ServedPlace, suites: Sequence[Path]) -> Submission:
    """Writes what was submitted into the folder of its job, as `tester run` reads it.

    Raises:
        Wrong: it is no such YAML, or asks for what nobody may ask for from elsewhere.
    """
    file = folder / FILE
    file.write_bytes(text)
    try:
        document = read_document(file, _KIND)
        data = document.data
        if not isinstance(data, dict):
            raise document.error((), "give the YAML of a campaign or of a job file: a mapping")
        _check_paths(document)
        if is_job_file(data):
            _check_testbed(document, data.get("testbed"), ("testbed",), place)
            return Submission(STREAMS, str(data.get("name", "")))
        write_document(file, _campaign(document, data, place, suites))
        return Submission(CAMPAIGN, str(data.get("title", "")))
    except TesterLibraryError as problem:
        raise Wrong(without_folders(str(problem), folder, suites)) from None


def without_folders(text: str, folder: Path, suites: Sequence[Path]) -> str:
    """A message without the folders of the server, which are no stranger's business."""
    for hidden in (folder, *suites, data_root()):
        text = text.replace(f"{hidden}/", "").replace(str(hidden), hidden.name)
    return text


def _check_paths(document: Document) -> None:
    """Refuses files of the server, wherever they are named but in the text of a payload."""
    is_job = is_job_file(document.data)
    for place, value in _texts(document.data, ()):
        if is_job and place[-2:] == ("payload", "content") and _kind_of(document.data, place) == "text":
            continue
        if _PARENT.search(value) or _ABSOLUTE.search(_URL.sub("", value)):
            problem = (
                f"{value!r} names a file of the server, or one outside of the job's folder; leave it out"
            )
            raise document.error(place, problem)


def _kind_of(data: Any, place: Place) -> Any:
    """The kind that stands beside the text of a payload."""
    for key in place[:-1]:
        data = data[key]
    return data.get("kind")


def _texts(value: Any, place: Place) -> Iterator[tuple[Place, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(key, place)
            yield from _texts(item, (*place, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*place, index))


def _check_testbed(document: Document, given: Any, where: Place, place: ServedPlace) -> None:
    known = {place.name, place.testbed.name, place.file}
    if given is not None and not (isinstance(given, str) and given in known):
        problem = f"{reprlib.repr(given)} is not the place that is leased, {place.name!r}; leave it out"
        raise document.error(where, problem)


def _campaign(
    document: Document, data: Mapping[str, Any], place: ServedPlace, suites: Sequence[Path]
) -> dict[str, Any]:
    """The campaign with the files that its words stand for, on the place that is leased."""
    for key in _OURS:
        if key in data:
            raise document.error((key,), "is the server's own; leave it out")
    given = data.get("testbeds", [])
    if not isinstance(given, list):
        raise document.error(("testbeds",), f"leave it out, or give [{place.name}]")
    for number, name in enumerate(given):
        _check_testbed(document, name, ("testbeds", number), place)
    campaign = {**data, "testbeds": [place.file]}
    for key, kind in (("profile", "criteria/profiles"), ("criteria", "criteria")):
        if key in data:
            shipped = data_root() / "resources" / kind
            campaign[key] = str(_found(document, data[key], (key,), (*suites, shipped), ".yaml"))
    if isinstance(data.get("suites"), list):
        campaign["suites"] = [
            str(_found(document, name, ("suites", number), (*suites, suite_root()), ".robot"))
            for number, name in enumerate(data["suites"])
        ]
    return campaign


def _found(document: Document, name: Any, where: Place, folders: Sequence[Path], suffix: str) -> Path:
    """A regular file of that kind, or a folder, in one of these folders."""
    for folder in folders:
        for candidate in (folder / str(name), folder / f"{name}{suffix}"):
            try:
                path = candidate.resolve()
                is_such = path.is_dir() or (path.is_file() and path.suffix == suffix)
                if is_such and path.is_relative_to(folder.resolve()):
                    return path
            except (OSError, ValueError):  # too long, or with a character that no file can have in its name
                continue
    known = sorted({path.stem for folder in folders for path in folder.glob("[!_.]*")})
    raise document.error(where, f"there is no {reprlib.repr(name)} here; there are {', '.join(known)}")
