// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Whether an answer has begun in a flow, of protocols that keep it (norma section 4.2): a segment that begins so says it,
// whatever row it finds, and a SYN begins anew. No second pass is needed, so nothing overtakes it.
#ifndef BEGUN_P4
#define BEGUN_P4

control Begun(in headers_t hdr, inout bit<8> begun) {
    Register<bit<8>, bit<16>>(EXPECTING_FLOWS, 0) flows;

    // The row still sees what it was: a SYN in an answer is one that came again.
    RegisterAction<bit<8>, bit<16>, bit<8>>(flows) clear = {
        void apply(inout bit<8> value, out bit<8> result) {
            result = value;
            value = 0;
        }
    };
    RegisterAction<bit<8>, bit<16>, bit<8>>(flows) set = {
        void apply(inout bit<8> value, out bit<8> result) {
            value = 1;
            result = 1;
        }
    };
    RegisterAction<bit<8>, bit<16>, bit<8>>(flows) read = {
        void apply(inout bit<8> value, out bit<8> result) {
            result = value;
        }
    };

    action forget() { begun = clear.execute(hdr.loop.shared[31:16]); }
    action note() { begun = set.execute(hdr.loop.shared[31:16]); }
    action ask() { begun = read.execute(hdr.loop.shared[31:16]); }

    table begins {
        key = {
            hdr.loop.link: ternary @name("link");
            hdr.tcp.flags: ternary @name("flags");
            hdr.signature.isValid(): ternary @name("payload_valid");
            hdr.signature.id: ternary @name("payload_word0");
            hdr.signature.sequence_high: ternary @name("payload_word1");
            hdr.signature.sequence[31:16]: ternary @name("payload_word2");
            hdr.signature.sequence[15:0]: ternary @name("payload_word3");
            hdr.signature.timestamp_ns[47:32]: ternary @name("payload_word4");
            hdr.signature.timestamp_ns[31:16]: ternary @name("payload_word5");
        }
        actions = { forget; note; ask; @defaultonly NoAction; }
        const default_action = NoAction;
        size = EXPECTING_ENDS;
    }

    apply {
        begins.apply();
    }
}

#endif
