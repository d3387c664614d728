# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Procedures of ITU-T Y.1564 and MEF 10.3 for services."""
