// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Ports that forward to each other as if there were a cable between them, but for events: docs/tofino.md. The
// profile that includes this names the chip.
#include "include/path_sizes.p4"
#include "include/types.p4"
#include "own_headers.p4" // generated; a path has none
#include "include/headers.p4"
#include "include/path_headers.p4"

#include "controls/path_ends.p4"
#include "controls/path_flows.p4"
#include "controls/path_progress.p4"
#include "controls/path_transmissions.p4"
#include "controls/path_events.p4"
#include "controls/copies.p4"
#include "controls/time_sum.p4"
#include "controls/path_stamp_delays.p4"
#include "controls/path_stamps.p4"
#include "path_pipeline.p4"

Pipeline(PathIngressParser(), PathIngress(), PathIngressDeparser(), PathEgressParser(), PathEgress(),
         PathEgressDeparser()) path;

Switch(path) main;
