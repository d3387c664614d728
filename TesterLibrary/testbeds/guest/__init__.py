# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Guests of QEMU: hosts of an embedded testbed that have a kernel of their own.

Kernel and programs of a guest are those that packages have put on this machine's disk. Nothing is
downloaded, and there is no disk image: `image.py` packs what `parts.py` has found into a first file system,
`machine.py` runs the guest, and `run.py` a program in it.
"""

from __future__ import annotations
