# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The rules of a plan that every target keeps, and the refusals in which they end."""
