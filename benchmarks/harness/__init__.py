# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The parts that all benchmarks share: registration, pairs and their arithmetic, the summary, the machine."""
