# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Python code of proto/, written by the build (tools/protos.py). Never edited, never committed."""
