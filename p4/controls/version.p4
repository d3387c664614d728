// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Says in each frame of a measured stream which of two sets of counters it belongs in (norma section 6.1). A flip
// is a change of entries, in one batch.
#ifndef VERSION_P4
#define VERSION_P4

control Version(inout headers_t hdr, in template_t stream, inout bool measured, inout version_t version) {
    action measure(version_t own) {
        measured = true;
        version = own;
    }

    table versions {
        key = { stream: exact @name("stream"); }
        actions = { measure; @defaultonly NoAction; }
        const default_action = NoAction;
        size = TEMPLATES;
    }

    apply {
        if (versions.apply().hit) {
            if (hdr.ipv4.isValid()) {
                hdr.ipv4.tester_version = version;
            } else if (hdr.ipv6.isValid()) {
                hdr.ipv6.tester_version = version;
            }
        }
    }
}

#endif
