# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether a certificate was signed by somebody, and rests on the files that are beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import Any

from ...errors import TesterLibraryError
from ..record.codec import parse
from ..record.digests import digest_of, require_regular_file
from ..record.record_place import EVIDENCE
from ..record.records import read
from . import statement
from .signature import fingerprint, load_public_key, read_signature


class Finding(Enum):
    """The finding about a signature or a file."""

    FITS = "fits"
    WRONG = "WRONG"
    UNKNOWN = "not known"
    NOT_COVERED = "no part"  # of what is certified


@dataclass(frozen=True)
class Verification:
    """The findings on a certificate."""

    about: str  # which certificate it is, as it says itself
    findings: tuple[tuple[Finding, str], ...]


def verify(given: Path, public_key: Path | None) -> Verification:
    """Checks a certificate, or that of a run.

    Raises:
        TesterLibraryError: there is none, or a file cannot be read or is none.
    """
    path = given / statement.FILE if given.is_dir() else given
    content = _bytes(path)
    told = _content(path, content)
    return Verification(
        about=_about(told),
        findings=(_signed(path, content, public_key), *_files(path.parent, told["files"])),
    )


def _bytes(path: Path) -> bytes:
    require_regular_file(path)
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise TesterLibraryError(
            f"there is no {path}; tester report makes the certificate of a run"
        ) from None
    except OSError as problem:
        raise TesterLibraryError(f"{path} cannot be read: {problem.strerror}") from None


def _content(path: Path, content: bytes) -> dict[str, Any]:
    try:
        told = parse(content)
    except ValueError as problem:
        raise TesterLibraryError(f"{path} is no certificate: {problem}") from None
    keys = {"kind", "schema", "run", "outcome", "certifies", "title", "files"}
    if not isinstance(told, dict) or not keys <= told.keys() or told["kind"] != "certificate":
        raise TesterLibraryError(f"{path} is no certificate of this library")
    if told["schema"] != statement.SCHEMA:
        raise TesterLibraryError(
            f"{path} has schema {told['schema']}; this version reads {statement.SCHEMA}: use the version "
            "that wrote it"
        )
    files = told["files"]
    if not isinstance(files, dict) or not all(map(_is_inside, files)):
        raise TesterLibraryError(f"{path} names files that are not in the folder of its run")
    return told


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def _about(told: Mapping[str, Any]) -> str:
    kind = "" if told["certifies"] else "; this is a demonstration, not a certification"
    return f"{told['title']}: {told['outcome']}, run {told['run']}{kind}"


def _signed(path: Path, content: bytes, public_key: Path | None) -> tuple[Finding, str]:
    expected = load_public_key(public_key).public_bytes_raw() if public_key else None
    signature = read_signature(path)
    if signature is None:
        return (Finding.WRONG if expected else Finding.UNKNOWN), f"{path.name} is not signed"
    if not signature.fits(content):
        return Finding.WRONG, f"{path.name} has changed since it was signed"
    name = fingerprint(signature.public_key)
    if expected is None:
        return (
            Finding.UNKNOWN,
            f"{path.name} is signed with the key {name}; give --public-key to say whose it is",
        )
    if expected != signature.public_key:
        return Finding.WRONG, f"{path.name} is signed with the key {name}, not with {fingerprint(expected)}"
    return Finding.FITS, f"{path.name} is signed with the key {name}"


def _files(run: Path, files: Mapping[str, str]) -> Iterator[tuple[Finding, str]]:
    """The files of a run; those that fit are counted, not named."""
    if not (run / EVIDENCE).is_dir():
        yield Finding.UNKNOWN, f"{len(files)} files are not checked: there is no folder {EVIDENCE} beside it"
        return
    fitting = 0
    wrong: list[str] = []
    for name, digest in files.items():
        if not (run / name).is_file():
            wrong.append(f"{name} is missing")
        elif digest_of(run / name) != digest:
            wrong.append(f"{name} has changed since the certificate was made")
        else:
            fitting += 1
    for path in sorted(path for path in (run / EVIDENCE).rglob("*") if path.is_file()):
        if (name := path.relative_to(run).as_posix()) not in files:
            wrong.append(f"{name} was added since the certificate was made")
    lines = _contradictions(run / EVIDENCE)
    if wrong and lines:
        wrong[-1] += "".join(f"\n{'':<10}{line}" for line in lines)  # the lines of what has changed
        lines = ()
    yield from ((Finding.WRONG, text) for text in (*wrong, *lines))
    for page in sorted(run.glob("**/*.html")):
        if (name := page.relative_to(run).as_posix()) not in files and not name.startswith(f"{EVIDENCE}/"):
            yield (
                Finding.NOT_COVERED,
                f"{name} is not among the files of the certificate; it may say anything",
            )
    yield Finding.FITS, f"{fitting} of {len(files)} files are those that the certificate rests on"


def _contradictions(evidence: Path) -> tuple[str, ...]:
    """Lines of the records that were changed, and records that contradict each other, each as a sentence."""
    try:
        records = read(evidence)
    except TesterLibraryError as problem:
        return (str(problem),)
    return (*records.faults, *records.contradictions)
