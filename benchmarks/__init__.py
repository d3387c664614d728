# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Speed, side by side with peers: `python -m benchmarks`. One file each, which registers itself."""
