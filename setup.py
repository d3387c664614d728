# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds the library: generated protobuf code, the packet engine, and the files beside the package.

TESTER_ENGINE=skip leaves the engine out, for machines that only drive engines elsewhere.
"""

from __future__ import annotations

import os
import shutil
import sys
from importlib.metadata import requires
from pathlib import Path

import setuptools
from setuptools import find_packages, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))  # pip's build frontends do not

from tools import engine, protos  # noqa: E402

WITH_ENGINE = os.environ.get("TESTER_ENGINE", "build") != "skip"

# Beside the package in a checkout, inside it in a wheel; TesterLibrary/paths.py finds both.
DATA = ("docs", "resources", "suites", "reports", "p4")
LEFT_OUT = ("__pycache__", "site", "images", "iframe-worker", "release-notes")

DEPENDENCIES = [
    "grpcio-health-checking >= 1.66",
    "Jinja2 >= 3.0",
    "jsonschema >= 4.17",
    "numpy >= 1.23",
    "pyroute2 >= 0.7.9",
    "PyYAML >= 6.0",
    "robotframework >= 7.2",
    "robotframework-assertion-engine >= 3.0",
    "robotframework-pythonlibcore >= 4.4",
    "scapy >= 2.5",
    "starlette >= 0.40",
    "uvicorn >= 0.32",
]


def runtimes() -> list[str]:
    """The runtimes of the generated code: it refuses one older than its generator, so the generator's
    own bounds on grpcio and protobuf are ours."""
    return [need for need in requires("grpcio-tools") or [] if need.startswith(("grpcio", "protobuf"))]


class Build(build_py):
    """Adds the engine, and outside a checkout the data folders."""

    def run(self) -> None:
        """The engine first, since setuptools takes it like any other file of the package."""
        if WITH_ENGINE:
            engine.build()
        if self.editable_mode:
            super().run()
            return
        # What an earlier build left there would go into the wheel.
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        for name in DATA:
            if (ROOT / name).is_dir():
                target = Path(self.build_lib) / "TesterLibrary" / "_data" / name
                shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns(*LEFT_OUT))


class Wheel(bdist_wheel):
    """With the engine inside a wheel is for one platform, but for every Python 3."""

    def get_tag(self) -> tuple[str, str, str]:
        """The parts of the file name that pip reads."""
        _, _, platform = super().get_tag()
        return "py3", "none", platform if WITH_ENGINE else "any"


class Distribution(setuptools.Distribution):
    """The engine counts as compiled code."""

    def has_ext_modules(self) -> bool:
        """Whether installations go to the platform's own folder."""
        return WITH_ENGINE


protos.generate()  # before the packages are listed: some of them are generated

setup(
    packages=find_packages(include=["TesterLibrary", "TesterLibrary.*"]),
    package_data={
        "TesterLibrary": ["py.typed"] + (["_engine/testerd"] if WITH_ENGINE else []),
        "TesterLibrary._generated": ["tester/v1/*.pyi"],
        "TesterLibrary.service.otg": ["model.*", "MODEL_LICENSE"],
    },
    install_requires=DEPENDENCIES + runtimes(),
    distclass=Distribution,
    cmdclass={"build_py": Build, "bdist_wheel": Wheel},
)
