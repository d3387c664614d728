# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A build of the same inputs compiles nothing, and no other program is taken for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .test_build_ahead import Checkout, make_checkout

pytestmark = pytest.mark.skipif(
    not Path("/var/lib/dpkg/status").is_file(), reason="without dpkg nothing is cached"
)


def compiles(checkout: Checkout, **environment: str) -> bool:
    """Runs the engine's tests; whether they were compiled for it."""
    done = checkout.run("test", **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "meson test" in done.stdout
    assert checkout.test.read_text() == checkout.source.read_text(), "the test is of these sources"
    return "meson compile" in done.stdout


@pytest.fixture
def built(tmp_path: Path) -> Checkout:
    """A checkout that has been built, and whose build folder is gone."""
    checkout = make_checkout(tmp_path / "built")
    assert compiles(checkout)
    checkout.test.unlink()
    return checkout


def entry(tmp_path: Path) -> Path:
    (entry,) = (tmp_path / "cache" / "testerlibrary" / "engine").iterdir()
    return entry


def test_the_same_sources_are_compiled_once(built: Checkout) -> None:
    assert not compiles(built)


@pytest.mark.usefixtures("built")
def test_a_checkout_elsewhere_takes_them_too(tmp_path: Path) -> None:
    assert not compiles(make_checkout(tmp_path / "elsewhere"))


def test_nothing_is_built_ahead_of_what_is_there(built: Checkout) -> None:
    assert built.run("ahead").returncode == 0
    assert not (built.folder / "engine" / "build-ahead").exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.source.write_text("int b;"),
        lambda c: c.source.with_name("b.cc").write_text(""),
        lambda c: c.source.with_name("meson.build").write_text("# other options"),
        lambda c: (c.folder / "proto" / "a.proto").write_text("message A {}"),
        lambda c: (c.folder / "tools" / "engine.py").open("a").write("# other options\n"),
        lambda c: (c.bin / "protoc").write_text("#!/bin/sh\n# another version\n"),
        lambda c: (c.bin / "clang++").write_text("#!/bin/sh\n# another version\n"),
    ],
)
def test_whatever_changes_is_compiled(built: Checkout, change: Callable[[Checkout], object]) -> None:
    change(built)
    assert compiles(built)


def test_going_back_to_earlier_sources_gives_their_program(built: Checkout) -> None:
    built.source.write_text("int b;")
    assert compiles(built)
    built.source.write_text("int a;")
    assert not compiles(built)


@pytest.mark.parametrize(
    "environment", [{"CXXFLAGS": "-O3"}, {"CPATH": "/opt/include"}, {"TESTER_BUILD_CACHE": "off"}], ids=str
)
def test_a_build_that_reads_more_than_the_key_covers_is_no_hit(
    built: Checkout, environment: dict[str, str]
) -> None:
    assert compiles(built, **environment)


def test_a_damaged_program_is_not_taken(built: Checkout, tmp_path: Path) -> None:
    (entry(tmp_path) / "pure_test").write_text("")
    assert compiles(built)
    built.test.unlink()
    assert not compiles(built), "it was stored anew"


def test_sources_that_change_under_the_compiler_are_not_stored(tmp_path: Path) -> None:
    checkout = make_checkout(tmp_path / "changing")
    meson = checkout.bin / "meson"
    meson.write_text(
        meson.read_text().replace("cat engine/a.cc", "echo 'int c;' > engine/a.cc; cat engine/a.cc")
    )
    assert compiles(checkout)
    assert not (tmp_path / "cache").exists()


def test_without_room_for_it_a_build_goes_on(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("no folder")
    assert compiles(make_checkout(tmp_path / "checkout"))
