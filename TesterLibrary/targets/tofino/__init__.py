# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A switch with a Tofino: the tables of its program, by the schema that the compiler writes."""
