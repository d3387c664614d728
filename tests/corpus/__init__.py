# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Routers and switches with one bug each, and the suites that find them: `make corpus`."""
