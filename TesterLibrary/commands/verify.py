# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester verify`: whether a certificate is signed, and rests on these files."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..reporting.pages.verification import Finding, verify
from ._command import command

_DESCRIPTION = """
Checks the signature of a certificate, and the SHA-256 of each file that it rests on. Whoever signed it is
known only by a public key that you have from them: give it with --public-key.

exit status:
   0  the signature fits the public key, and each file fits the certificate
   1  something does not fit: it is named
   2  nobody can tell: no public key was given, or the evidence is not beside the certificate
   3  an error: a file cannot be read, or is none
  64  the command line is wrong
"""


@command(
    "verify",
    help="check the signature and the evidence of a certificate",
    description=_DESCRIPTION,
    formatter_class=argparse.RawDescriptionHelpFormatter,
)
def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "certificate", metavar="RUN", type=Path, help="the folder of a run, or its certificate.json"
    )
    parser.add_argument("--public-key", metavar="FILE", type=Path, help="of whoever signed it, in PEM")
    parser.set_defaults(run=_verify)


def _verify(options: argparse.Namespace) -> int:
    found = verify(options.certificate, options.public_key)
    print(found.about)
    for finding, text in found.findings:
        print(f"{finding.value:<9} {text}")
    worst = {finding for finding, _ in found.findings}
    return 1 if Finding.WRONG in worst else 2 if Finding.UNKNOWN in worst else 0
