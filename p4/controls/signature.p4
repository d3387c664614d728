// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// By which a frame is known again: its stream, its number and when it left (ADR 7). The deparser adds the
// complement that keeps the sum of the sixteen bytes what it was, so no checksum of the frame changes; `rest` is the
// one's complement of that sum.
#ifndef SIGNATURE_P4
#define SIGNATURE_P4

control Signature(inout headers_t hdr, in template_t stream, in timestamp_t now, inout bit<16> signature_rest,
                  inout bool signed) {
    Register<bit<32>, template_t>(TEMPLATES, 0) sequence;

    RegisterAction<bit<32>, template_t, bit<32>>(sequence) count = {
        void apply(inout bit<32> value, out bit<32> result) {
            result = value;
            value = value + 1;
        }
    };

    action sign(bit<16> id, bit<16> rest) {
        hdr.signature.id = id;
        hdr.signature.sequence = count.execute(stream);
        hdr.signature.timestamp_ns = now;
        signature_rest = rest;
        signed = true;
    }

    table streams {
        key = { stream: exact @name("stream"); }
        actions = { sign; @defaultonly NoAction; }
        const default_action = NoAction;
        size = TEMPLATES;
    }

    apply {
        if (hdr.signature.isValid()) {
            streams.apply();
        }
    }
}

#endif
