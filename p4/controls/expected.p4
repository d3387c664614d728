// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The sequence number that a flow expects next, of protocols that keep it (norma section 4.2). A segment that has it
// moves it on by its payload and its FIN, whatever row it finds; a SYN begins anew.
#ifndef EXPECTED_P4
#define EXPECTED_P4

control Expected(in headers_t hdr, in bit<16> octets, inout bit<32> expects, inout bit<1> in_order) {
    Register<bit<32>, bit<16>>(EXPECTING_FLOWS, 0) numbers;
    Register<bit<32>, bit<16>>(EXPECTING_FLOWS, 0) moves; // the same: an access has one result, here whether it moved

    RegisterAction<bit<32>, bit<16>, bit<32>>(numbers) begin_number = {
        void apply(inout bit<32> value, out bit<32> result) {
            value = hdr.tcp.seq + 1;
            result = value;
        }
    };
    RegisterAction<bit<32>, bit<16>, bit<32>>(numbers) move_number = {
        void apply(inout bit<32> value, out bit<32> result) {
            if (value == hdr.tcp.seq) {
                value = value + (bit<32>)octets;
            }
            result = value;
        }
    };
    RegisterAction<bit<32>, bit<16>, bit<1>>(moves) begin_moves = {
        void apply(inout bit<32> value, out bit<1> result) {
            value = hdr.tcp.seq + 1;
            result = 0;
        }
    };
    RegisterAction<bit<32>, bit<16>, bit<1>>(moves) move = {
        void apply(inout bit<32> value, out bit<1> result) {
            result = 0;
            if (value == hdr.tcp.seq) {
                value = value + (bit<32>)octets;
                result = 1;
            }
        }
    };

    action begin() { expects = begin_number.execute(hdr.loop.shared[31:16]); }
    action go_on() { expects = move_number.execute(hdr.loop.shared[31:16]); }
    action begin_again() { in_order = begin_moves.execute(hdr.loop.shared[31:16]); }
    action go_on_again() { in_order = move.execute(hdr.loop.shared[31:16]); }

    table links {
        key = {
            hdr.loop.link: ternary @name("link");
            hdr.tcp.flags: ternary @name("flags");
        }
        actions = { begin; go_on; @defaultonly NoAction; }
        const default_action = NoAction;
        size = EXPECTING_ENDS;
    }

    // An action reaches one register.
    table same_links {
        key = {
            hdr.loop.link: ternary @name("link");
            hdr.tcp.flags: ternary @name("flags");
        }
        actions = { begin_again; go_on_again; @defaultonly NoAction; }
        const default_action = NoAction;
        size = EXPECTING_ENDS;
    }

    apply {
        links.apply();
        same_links.apply();
    }
}

#endif
