# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The shipped suites on each target, made by running them: `python -m tests.matrix` writes docs/matrix.md."""
