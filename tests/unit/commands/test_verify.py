# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Signatures of certificates, by the commands that make and check them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from TesterLibrary.commands import main as cli
from TesterLibrary.reporting.pages.signature import fingerprint

from ..reporting.golden import record_run

pytest.importorskip("cryptography")
SIGNED = "certificate.json.sig"


def openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two pairs of keys, as users make them: mine.key, mine.pub, other.key, other.pub."""
    folder = tmp_path_factory.mktemp("keys")
    for name in ("mine", "other"):
        openssl("genpkey", "-algorithm", "ed25519", "-out", str(folder / f"{name}.key"))
        (folder / f"{name}.key").chmod(0o600)
        openssl("pkey", "-in", str(folder / f"{name}.key"), "-pubout", "-out", str(folder / f"{name}.pub"))
    return folder


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory, keys: Path) -> Path:
    run = tmp_path_factory.mktemp("signed")
    record_run(run / "evidence")
    for name in ("log.html", "report.html"):
        (run / name).write_text("made by Robot\n")
    cli.main(["report", str(run), "--key", str(keys / "mine.key")])
    return run


@pytest.fixture
def run(tmp_path: Path, signed: Path) -> Path:
    """A copy of a signed run."""
    for source in signed.iterdir():
        name = source.name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    return tmp_path


def verify(given: Path, public: Path | None, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    capsys.readouterr()
    status = cli.main(["verify", str(given), *(["--public-key", str(public)] if public else [])])
    said = capsys.readouterr()
    return status, said.out + said.err


def test_what_fits_is_said(run: Path, keys: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for given in (run, run / "certificate.json"):
        status, said = verify(given, keys / "mine.pub", capsys)
        assert status == 0
        assert said.startswith("Golden run: FAIL, run 0; this is a demonstration, not a certification\n")
        assert "fits      certificate.json is signed with the key " in said
        count = len(json.loads((run / "certificate.json").read_text())["files"])
        assert f"fits      {count} of {count} files are those that the certificate rests on" in said


@pytest.mark.parametrize(
    "name",
    [
        "evidence/verdicts.jsonl",
        "evidence/run.json",
        "evidence/trial.schema.json",
        "certificate.html",
        "summary.md",
        "junit.xml",
        "events.csv",
        "log.html",
        "report.html",
    ],
)
def test_a_file_that_was_changed_is_named(
    run: Path, keys: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    content = bytearray((run / name).read_bytes())
    content[len(content) // 2] ^= 1
    (run / name).write_bytes(content)
    status, said = verify(run, keys / "mine.pub", capsys)
    assert status == 1
    assert [line for line in said.splitlines() if line.startswith("WRONG")] == [
        f"WRONG     {name} has changed since the certificate was made"
    ]


def test_files_that_are_missing_or_more_are_named(
    run: Path, keys: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (run / "evidence" / "trials.jsonl").unlink()
    (run / "evidence" / "more.jsonl").touch()
    status, said = verify(run, keys / "mine.pub", capsys)
    assert status == 1
    assert "WRONG     evidence/trials.jsonl is missing" in said
    assert "WRONG     evidence/more.jsonl was added since the certificate was made" in said


def test_a_page_that_no_certificate_covers_is_named(
    run: Path, keys: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = run / "allure-report" / "index.html"
    page.parent.mkdir(exist_ok=True)
    page.write_text("PASS")
    status, said = verify(run, keys / "mine.pub", capsys)
    assert status == 0
    assert "no part   allure-report/index.html is not among the files of the certificate" in said
    (run / "summary.md").unlink()
    status, said = verify(run, keys / "mine.pub", capsys)
    assert status == 1
    assert "WRONG     summary.md is missing" in said


def test_a_certificate_that_was_changed_does_not_fit_its_signature(
    run: Path, keys: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = run / "certificate.json"
    path.write_text(path.read_text().replace('"outcome": "FAIL"', '"outcome": "PASS"', 1))
    status, said = verify(run, keys / "mine.pub", capsys)
    assert status == 1
    assert "WRONG     certificate.json has changed since it was signed" in said


def test_whose_key_it_is_has_to_be_said(run: Path, keys: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, said = verify(run, keys / "other.pub", capsys)
    assert status == 1
    assert "WRONG     certificate.json is signed with the key " in said
    status, said = verify(run, None, capsys)
    assert status == 2
    assert "give --public-key to say whose it is" in said
    (run / SIGNED).unlink()
    assert verify(run, None, capsys)[0] == 2
    status, said = verify(run, keys / "mine.pub", capsys)
    assert status == 1
    assert "WRONG     certificate.json is not signed" in said


def test_a_certificate_without_its_evidence_is_half_known(
    run: Path, keys: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(run / "evidence")
    status, said = verify(run / "certificate.json", keys / "mine.pub", capsys)
    assert status == 2
    assert "files are not checked: there is no folder evidence beside it" in said


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("certificate.json", "{", "is no certificate: "),
        ("certificate.json", "{}", "is no certificate of this library"),
        ("certificate.json", '{"schema": 9}', "has schema 9; this version reads 1"),
        ("certificate.json", '{"files": {"../../etc/passwd": ""}}', "names files that are not in the folder"),
        (SIGNED, "{}", "is no Ed25519 signature"),
        (SIGNED, "[" * 50_000, "is no Ed25519 signature: it is nested too deeply"),
        (SIGNED, '{"algorithm": "Ed25519", "public_key": "00", "signature": ""}', "keys have 32 bytes"),
    ],
)
def test_a_foreign_file_is_an_error(
    run: Path, capsys: pytest.CaptureFixture[str], name: str, content: str, message: str
) -> None:
    if len(content) > 2 and name == "certificate.json":
        content = json.dumps(json.loads((run / name).read_text()) | json.loads(content))
    (run / name).write_text(content)
    status, said = verify(run, None, capsys)
    assert status == 3
    assert message in said


def test_a_folder_without_certificate_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, said = verify(tmp_path, None, capsys)
    assert status == 3
    assert "tester report makes the certificate of a run" in said


@pytest.mark.parametrize(
    ("name", "mode", "message"),
    [
        ("mine.key", 0o640, "may be used by others than its owner (mode 640); allow only mode 600 or 400"),
        ("mine.key", 0o604, "(mode 604)"),
        ("mine.pub", 0o600, "is no Ed25519 private key in PEM"),
        ("none.key", None, "cannot be read: No such file or directory"),
        ("locked.key", 0o600, "is encrypted; give one without a password"),
        ("rsa.key", 0o600, "is no Ed25519 private key in PEM"),
    ],
)
def test_a_key_that_cannot_be_used_is_refused_before_anything_is_run(
    tmp_path: Path,
    keys: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    mode: int | None,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    mine, key = str(keys / "mine.key"), tmp_path / name
    if name == "locked.key":
        openssl("pkey", "-in", mine, "-aes256", "-passout", "pass:secret", "-out", str(key))
    elif name == "rsa.key":
        openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", str(key))
    elif mode is not None:
        shutil.copy(keys / name, key)
    if mode is not None:
        key.chmod(mode)
    Path("night.yaml").write_text(f"version: 1\nkey: {name}\n")
    for command in (["certify", "--key", str(key)], ["run", "night.yaml"]):
        assert cli.main(command) == 3
        assert message in capsys.readouterr().err
    assert not Path("results").exists()


def test_a_public_key_has_to_be_one(run: Path, keys: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, said = verify(run, keys / "mine.key", capsys)
    assert status == 3
    assert "is no Ed25519 public key in PEM" in said


def test_a_signed_certificate_is_never_replaced(
    run: Path, keys: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (run / "certificate.json").read_bytes()
    (run / "evidence" / "events.jsonl").unlink()
    assert cli.main(["report", str(run)]) == 3
    assert "are signed, and are kept as they were" in capsys.readouterr().err
    assert (run / "certificate.json").read_bytes() == before
    (run / SIGNED).unlink()
    cli.main(["report", str(run), "--key", str(keys / "other.key")])
    assert verify(run, keys / "other.pub", capsys)[0] == 0


def test_the_signature_of_another_key_is_not_replaced(
    run: Path, keys: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (run / SIGNED).read_bytes()
    assert cli.main(["report", str(run), "--key", str(keys / "other.key")]) == 3
    assert f"is signed with the key {_name(before)}, and the key given is " in capsys.readouterr().err
    assert (run / SIGNED).read_bytes() == before
    cli.main(["report", str(run), "--key", str(keys / "mine.key")])
    assert verify(run, keys / "mine.pub", capsys)[0] == 0


def _name(signature: bytes) -> str:
    return fingerprint(bytes.fromhex(json.loads(signature)["public_key"]))


def test_records_that_contradict_each_other_are_not_signed(
    run: Path, keys: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (run / SIGNED).unlink()
    path = run / "evidence" / "tests.jsonl"
    path.write_text(path.read_text().replace('"outcome":"FAIL"', '"outcome":"PASS"'))
    assert cli.main(["report", str(run), "--key", str(keys / "mine.key")]) == 3
    assert "certificate.json is not signed: tests.jsonl:3 does not follow line 2" in capsys.readouterr().err
    assert not (run / SIGNED).exists()
    status, said = verify(run, None, capsys)
    assert status == 1
    assert "WRONG     tests.jsonl:3 does not follow line 2 as it was recorded" in said
    assert "says PASS, its verdict" in said
