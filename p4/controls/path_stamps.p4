// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Stamps around a device (P4STA section III). A packet gets a time as it leaves to the device, and is known again by
// it as it leaves by the other path: by then the ingress has taken the time at which it came back. A port is of one
// direction of one path, so the port that a packet leaves by says which of the two it is.
#ifndef PATH_STAMPS_P4
#define PATH_STAMPS_P4

struct path_egress_t {
    bit<16> l4_rest;           // what the checksum of TCP or UDP was without itself and the stamp
    bit<16> l4_change;         // of its sum by lengths
    bit<1> occupied;           // by what looks like a stamp: the first option of TCP, or a payload of UDP
    bool tcp_changed;
    bool udp_changed;
}

// Whether a packet has payload.
control PathStampData(in path_egress_headers_t hdr, out bit<1> data) {
    action empty() {
        data = 0;
    }
    action some() {
        data = 1;
    }

    // Headers, and nothing behind them.
    table lengths {
        key = {
            hdr.tcp.isValid(): exact @name("tcp_valid");
            hdr.tcp.offset: ternary @name("offset");
            hdr.udp.isValid(): exact @name("udp_valid");
            hdr.ipv4.len: ternary @name("len");
        }
        actions = { empty; some; }
        const default_action = some();
        const entries = {
            (true, 0x50 &&& 0xf0, false, 40): empty();
            (true, 0x60 &&& 0xf0, false, 44): empty();
            (true, 0x70 &&& 0xf0, false, 48): empty();
            (true, 0x80 &&& 0xf0, false, 52): empty();
            (true, 0x90 &&& 0xf0, false, 56): empty();
            (true, 0xa0 &&& 0xf0, false, 60): empty();
            (true, 0xb0 &&& 0xf0, false, 64): empty();
            (true, 0xc0 &&& 0xf0, false, 68): empty();
            (true, 0xd0 &&& 0xf0, false, 72): empty();
            (true, 0xe0 &&& 0xf0, false, 76): empty();
            (true, 0xf0 &&& 0xf0, false, 80): empty();
            (false, _, true, 28): empty();
        }
        size = 16;
    }

    apply {
        lengths.apply();
    }
}

// Which packets stamps look at.
control PathStampWatches(in path_egress_headers_t hdr, in bit<9> egress_port, in bit<1> data, out bit<1> seen) {
    action see() {
        seen = 1;
    }

    table watches {
        key = {
            egress_port: ternary @name("egress_port");
            data: ternary @name("data");
            hdr.vlan.isValid(): ternary @name("vlan_valid");
            hdr.vlan.vlan: ternary @name("vlan");
            hdr.ipv4.isValid(): ternary @name("ipv4_valid");
            hdr.ipv4.src: ternary @name("ipv4_src");
            hdr.ipv4.dst: ternary @name("ipv4_dst");
            hdr.ipv4.proto: ternary @name("ipv4_proto");
            hdr.tcp.isValid(): ternary @name("tcp_valid");
            hdr.udp.isValid(): ternary @name("udp_valid");
            hdr.tcp.sport: ternary @name("tcp_sport");
            hdr.tcp.dport: ternary @name("tcp_dport");
            hdr.udp.sport: ternary @name("udp_sport");
            hdr.udp.dport: ternary @name("udp_dport");
        }
        actions = { see; @defaultonly NoAction; }
        const default_action = NoAction;
        size = STAMP_WATCHES;
    }

    apply {
        seen = 0;
        watches.apply();
    }
}

// Puts a stamp into a packet that has room for it.
control PathStampRoom(inout path_egress_headers_t hdr, in timestamp_t now, in bit<16> mark, in bit<1> occupied,
                      in bit<16> excess, inout bit<16> l4_change, out resize_t resize, out fate_t fate) {
    action stamp(bit<16> kind) {
        hdr.stamp.setValid();
        hdr.stamp.kind = kind;
        hdr.stamp.first_high = now[47:32];
        hdr.stamp.first_low = now[31:0];
        hdr.stamp.flow = STAMP_NO_FLOW;
        hdr.stamp.second_high = mark;
        hdr.stamp.second_low = 0;
        resize = STAMP_GROWS;
        fate = STAMP_SENT;
    }
    action stamp_tcp() {
        stamp(STAMP_OF_TCP);
        hdr.tcp.offset = hdr.tcp.offset + 0x40;
        l4_change = 0x4010;    // of the offset, and of the length in the pseudo header
    }
    action stamp_udp() {
        stamp(STAMP_OF_UDP);
        hdr.udp.len = hdr.udp.len + STAMP_LENGTH;
        l4_change = 0x20;      // of both lengths
    }
    action leave(fate_t as_it_is) {
        resize = STAMP_KEEPS;
        fate = as_it_is;
    }

    // A header of TCP has 60 bytes at most, and 20 at least; a packet with one of UDP has 28.
    table fits {
        key = {
            hdr.tcp.isValid(): exact @name("tcp_valid");
            hdr.udp.isValid(): exact @name("udp_valid");
            hdr.tcp.offset: ternary @name("offset");
            occupied: ternary @name("occupied");
            excess: ternary @name("excess");
            hdr.ipv4.len: ternary @name("len");
        }
        actions = { stamp_tcp; stamp_udp; leave; }
        const default_action = leave(STAMP_UNFIT);
        const entries = {
            (true, false, 0x00 &&& 0xc0, _, _, _): leave(STAMP_UNFIT);
            (true, false, 0x40 &&& 0xf0, _, _, _): leave(STAMP_UNFIT);
            (true, false, _, 1, _, _): leave(STAMP_OCCUPIED);
            (true, false, 0xc0 &&& 0xc0, _, _, _): leave(STAMP_NO_ROOM);
            (true, false, _, _, 0, _): stamp_tcp();
            (true, false, _, _, _, _): leave(STAMP_TOO_LONG);
            (false, true, _, _, _, 0x0000 &&& 0xfff0): leave(STAMP_UNFIT);
            (false, true, _, _, _, 0x0010 &&& 0xfff8): leave(STAMP_UNFIT);
            (false, true, _, _, _, 0x0018 &&& 0xfffc): leave(STAMP_UNFIT);
            (false, true, _, 1, _, _): leave(STAMP_OCCUPIED);
            (false, true, _, _, 0, _): stamp_udp();
            (false, true, _, _, _, _): leave(STAMP_TOO_LONG);
        }
        size = 16;
    }

    apply {
        fits.apply();
    }
}

// Takes a stamp out of a packet again.
control PathStampOut(inout path_egress_headers_t hdr, inout bit<16> l4_change) {
    action shorten_tcp() {
        hdr.tcp.offset = hdr.tcp.offset + 0xc0;
        l4_change = 0xbfef;    // 0x4010 less
    }
    action shorten_udp() {
        hdr.udp.len = hdr.udp.len + STAMP_LESS;
        l4_change = 0xffdf;    // 0x20 less
    }
    // What is not sent is not in a checksum, whatever a deparser makes of the fields of a header that is not there.
    action remove() {
        hdr.stamp.kind = 0;
        hdr.stamp.first_high = 0;
        hdr.stamp.first_low = 0;
        hdr.stamp.flow = 0;
        hdr.stamp.second_high = 0;
        hdr.stamp.second_low = 0;
        hdr.stamp.setInvalid();
    }

    apply {
        if (hdr.tcp.isValid()) {
            shorten_tcp();
        } else {
            shorten_udp();
        }
        remove();
    }
}

// Length and checksum of IPv4 follow (RFC 1624), so that a wrong checksum stays wrong. 16 is added to a sum of ones'
// complement, or taken off it: where that wraps, one more.
control PathStampNetwork(inout path_egress_headers_t hdr, in resize_t resize) {
    action follow(bit<16> octets, bit<16> sum) {
        hdr.ipv4.len = hdr.ipv4.len + octets;
        hdr.ipv4.checksum = hdr.ipv4.checksum + sum;
    }

    table sums {
        key = {
            resize: exact @name("resize");
            hdr.ipv4.checksum: ternary @name("checksum");
        }
        actions = { follow; @defaultonly NoAction; }
        const default_action = NoAction;
        const entries = {
            (STAMP_GROWS, 0x0000 &&& 0xfff0): follow(STAMP_LENGTH, 0xffef);
            (STAMP_GROWS, _): follow(STAMP_LENGTH, 0xfff0);
            (STAMP_SHRINKS, 0xfff0 &&& 0xfff0): follow(STAMP_LESS, 0x0011);
            (STAMP_SHRINKS, 0xffef): follow(STAMP_LESS, 0x0011);
            (STAMP_SHRINKS, _): follow(STAMP_LESS, 0x0010);
        }
        size = 8;
    }

    apply {
        sums.apply();
    }
}

control PathStamps(inout path_egress_headers_t hdr, in bit<9> egress_port, in timestamp_t now,
                   inout path_egress_t meta) {
    PathStampData() payload;
    PathStampWatches() watches;
    PathStampAge() age;
    PathStampRoom() room;
    PathStampOut() out_again;
    PathStampOrder() order;
    PathStampDelay() delays;
    PathStampNetwork() network;
    Hash<bit<9>>(HashAlgorithm_t.IDENTITY) cells;
    Counter<bit<64>, bit<9>>(STAMP_FATES, CounterType_t.PACKETS) fates;
    bit<1> departs = 0;
    bit<1> returns = 0;
    stamped_t direction = 0;
    bit<16> most = 0;
    bit<16> owner = 0;
    bit<32> timeout = 0;
    bit<16> excess = 0;
    bit<1> data = 0;
    bit<1> seen = 0;
    resize_t resize = STAMP_KEEPS;
    bit<32> delay = 0;
    bit<1> follows = 0;
    fate_t fate = STAMP_NONE;

    // A packet of more bytes than `longest` has no room for a stamp. `mark` is in each stamp, which may come back on
    // the path of another direction.
    action to_device(stamped_t own, bit<16> longest, bit<16> mark) {
        departs = 1;
        direction = own;
        most = longest;
        owner = mark;
    }
    action from_device(stamped_t own, bit<32> limit, bit<16> mark) {
        returns = 1;
        direction = own;
        timeout = limit;
        owner = mark;
    }

    table ports {
        key = { egress_port: exact @name("egress_port"); }
        actions = { to_device; from_device; @defaultonly NoAction; }
        const default_action = NoAction;
        size = PATH_PORTS;
    }

    action exceed() {
        excess = hdr.ipv4.len |-| most;
    }

    apply {
        payload.apply(hdr, data);
        ports.apply();
        exceed();
        watches.apply(hdr, egress_port, data, seen);
        if (departs == 1 && seen == 1) {
            room.apply(hdr, now, owner, meta.occupied, excess, meta.l4_change, resize, fate);
        } else if (returns == 1) {
            age.apply(hdr, owner, timeout, delay, resize, fate);
            if (fate == STAMP_RECEIVED) {
                order.apply(direction, hdr.stamp.first_high, hdr.stamp.first_low, follows);
                if (follows == 0) {
                    fate = STAMP_BEHIND;
                }
                delays.apply(direction, delay);
            }
            if (fate == STAMP_UNSTAMPED && seen == 0) {
                fate = STAMP_NONE;
            }
            if (resize == STAMP_SHRINKS) {
                out_again.apply(hdr, meta.l4_change);
            }
        }
        if (resize != STAMP_KEEPS) {
            network.apply(hdr, resize);
            if (hdr.tcp.isValid()) {
                meta.tcp_changed = true;
            } else if (hdr.udp.checksum != 0) {
                meta.udp_changed = true;
            }
        }
        if (fate != STAMP_NONE) {
            fates.count(cells.get({direction, fate}));
        }
    }
}

#endif
