// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Changes fields from packet to packet (norma appendix C, hypertester section 5.1). A unit holds a number below a
// bound and moves it by a step. The five modes are entries of it:
//   direct step     a constant step
//   ranged random   a random step of k bits, 2^k <= bound: n := (n' + r) mod l, without a loop
//   direct random   the same with 2^k = bound
//   indirect step   the number is looked up in a list, or, drawn at random, in a distribution's quantiles
//   cascaded step   the second unit moves when the first one wraps
// It moves only when a packet departs, so no value is skipped.
#ifndef EDITOR_P4
#define EDITOR_P4

// How a unit moves in this round.
struct motion_t {
    bit<32> step;
    bit<32> limit;             // from here on a step wraps
}

// Entries of a unit. Apart from the unit, because this does not wait for the word whether a packet departs.
control EditorModes(in template_t template, out motion_t motion) {
    bit<32> random;
    bit<32> bound;

    Random<bit<32>>() numbers;

    action direct(bit<32> by, bit<32> below) {
        motion.step = by;
        bound = below;
    }
    action ranged(bit<32> mask, bit<32> below) {
        motion.step = random & mask;
        bound = below;
    }

    table modes {
        key = { template: exact @name("template"); }
        actions = { direct; ranged; }
        const default_action = direct(0, 1);
        size = TEMPLATES;
    }

    action subtract() {
        motion.limit = bound - motion.step;
    }

    apply {
        random = numbers.get();
        modes.apply();
        subtract();
    }
}

control EditorUnit(in template_t template, in motion_t motion, in bool moves, out bit<32> number,
                   inout bit<1> wraps) {

    Register<bit<32>, template_t>(TEMPLATES, 0) values;
    Register<bit<32>, template_t>(TEMPLATES, 0) values_again;  // moves alike, and says whether it wrapped

    RegisterAction<bit<32>, template_t, bit<32>>(values) move = {
        void apply(inout bit<32> value, out bit<32> result) {
            result = value;
            if (value >= motion.limit) {
                value = value - motion.limit;
            } else {
                value = value + motion.step;
            }
        }
    };
    RegisterAction<bit<32>, template_t, bit<32>>(values) stay = {
        void apply(inout bit<32> value, out bit<32> result) {
            result = value;
        }
    };
    RegisterAction<bit<32>, template_t, bit<1>>(values_again) move_again = {
        void apply(inout bit<32> value, out bit<1> result) {
            result = 0;
            if (value >= motion.limit) {
                value = value - motion.limit;
                result = 1;
            } else {
                value = value + motion.step;
            }
        }
    };

    apply {
        if (moves) {
            number = move.execute(template);
            wraps = move_again.execute(template);
        } else {
            number = stay.execute(template);
        }
    }
}

// Writes a number, or what it stands for, to a field. The field is its base plus the number.
control EditedField(inout headers_t hdr, in template_t template, inout bit<32> number) {
    // An operation has operands of one width, so the low half is copied for the ports, and the low octet.
    Hash<bit<16>>(HashAlgorithm_t.IDENTITY) halves;
    Hash<bit<8>>(HashAlgorithm_t.IDENTITY) octets;
    bit<16> half = 0;
    bit<8> octet = 0;

    action value(bit<32> own) {
        number = own;
    }

    table values {
        key = {
            template: exact @name("template");
            number: exact @name("number");
        }
        actions = { value; @defaultonly NoAction; }
        const default_action = NoAction;
        size = LIST_VALUES;
    }

    // Random numbers by their share: the inverse of a distribution function.
    table quantiles {
        key = {
            template: exact @name("template");
            number[15:0]: range @name("number");
        }
        actions = { value; @defaultonly NoAction; }
        const default_action = NoAction;
        size = QUANTILES;
    }

    action ipv4_src(bit<32> base) {
        hdr.ipv4.src = base + number;
    }
    action ipv4_dst(bit<32> base) {
        hdr.ipv4.dst = base + number;
    }
    action ipv4_tos(bit<8> base) {
        hdr.ipv4.tos = base + octet;
    }
    action ipv4_ttl(bit<8> base) {
        hdr.ipv4.ttl = base + octet;
    }
    action ipv6_hlim(bit<8> base) {
        hdr.ipv6.hlim = base + octet;
    }
    action ipv6_src(bit<32> base) {
        hdr.ipv6.src_low = base + number;
    }
    action ipv6_dst(bit<32> base) {
        hdr.ipv6.dst_low = base + number;
    }
    // Of addresses of Ethernet there is room for the last 32 bits while a frame is within the switch.
    action ether_dst(bit<32> base) {
        hdr.loop.peer_low = base + number;
    }
    action ether_src(bit<32> base) {
        hdr.loop.shared = base + number;
    }
    // It shares its container with other bits, so nothing is added to it: its numbers are listed.
    action vlan() {
        hdr.vlan.vlan = half[11:0];
    }
    // One field of an entry, in its place. The base has the others.
    action mpls(bit<32> base) {
        hdr.mpls.entry = base + number;
    }
    action second_mpls(bit<32> base) {
        hdr.second_mpls.entry = base + number;
    }
    action arp_psrc(bit<32> base) {
        hdr.arp.sender = base + number;
    }
    action arp_pdst(bit<32> base) {
        hdr.arp.target = base + number;
    }
    action udp_sport(bit<16> base) {
        hdr.udp.sport = base + half;
    }
    action udp_dport(bit<16> base) {
        hdr.udp.dport = base + half;
    }
    action tcp_sport(bit<16> base) {
        hdr.tcp.sport = base + half;
    }
    action tcp_dport(bit<16> base) {
        hdr.tcp.dport = base + half;
    }
    action tcp_seq(bit<32> base) {
        hdr.tcp.seq = base + number;
    }
    OWN_EDITS

    table fields {
        key = { template: exact @name("template"); }
        actions = {
            ether_dst; ether_src; vlan; mpls; second_mpls; ipv4_src; ipv4_dst; ipv4_tos; ipv4_ttl; ipv6_src;
            ipv6_dst; ipv6_hlim; arp_psrc; arp_pdst; udp_sport; udp_dport; tcp_sport; tcp_dport; tcp_seq;
            OWN_EDIT_NAMES @defaultonly NoAction;
        }
        const default_action = NoAction;
        size = TEMPLATES;
    }

    apply {
        if (!values.apply().hit) {
            quantiles.apply();
        }
        half = halves.get({number[15:0]});
        octet = octets.get({number[7:0]});
        fields.apply();
    }
}

control Editor(inout headers_t hdr, in template_t template, in bool departs, inout bit<1> second_wraps) {
    EditorModes() first_modes;
    EditorModes() second_modes;
    EditorUnit() first;
    EditorUnit() second;
    EditedField() first_field;
    EditedField() second_field;
    bit<32> first_number = 0;
    bit<32> second_number = 0;
    bit<1> first_wraps = 0;
    motion_t first_motion;
    motion_t second_motion;
    bit<1> cascaded = 0;

    action cascade() {
        cascaded = 1;
    }

    table cascades {
        key = { template: exact @name("template"); }
        actions = { cascade; @defaultonly NoAction; }
        const default_action = NoAction;
        size = TEMPLATES;
    }

    apply {
        cascades.apply();
        first_modes.apply(template, first_motion);
        second_modes.apply(template, second_motion);
        if (departs) {
            first.apply(template, first_motion, true, first_number, first_wraps);
            second.apply(template, second_motion, cascaded == 0 || first_wraps == 1, second_number, second_wraps);
            first_field.apply(hdr, template, first_number);
            second_field.apply(hdr, template, second_number);
        }
    }
}

// A third field, on a chip that has stages for it: it moves with each packet, or when the second one wraps.
control ThirdEditor(inout headers_t hdr, in template_t template, in bool departs, in bit<1> second_wraps) {
    EditorModes() third_modes;
    EditorUnit() third;
    EditedField() third_field;
    bit<32> number = 0;
    bit<1> wraps = 0;
    motion_t motion;
    bit<1> cascaded = 0;

    action cascade() {
        cascaded = 1;
    }

    table cascades {
        key = { template: exact @name("template"); }
        actions = { cascade; @defaultonly NoAction; }
        const default_action = NoAction;
        size = TEMPLATES;
    }

    apply {
        cascades.apply();
        third_modes.apply(template, motion);
        if (departs) {
            third.apply(template, motion, cascaded == 0 || second_wraps == 1, number, wraps);
            third_field.apply(hdr, template, number);
        }
    }
}

// On one that has none.
control NoThirdEditor(inout headers_t hdr, in template_t template, in bool departs, in bit<1> second_wraps) {
    apply { }
}

#endif
