#!/bin/sh
# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzzers with clang in the folder $1 from the sources in $2, and runs each for some seconds.
set -eu
[ -f "$1/build.ninja" ] || CXX=clang++ meson setup "$1" "$2" -Dfuzz=true -Dtests=false \
    -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1
meson compile -C "$1"
exec meson test -C "$1" --no-rebuild --print-errorlogs
