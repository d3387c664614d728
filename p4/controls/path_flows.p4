// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Numbers flows in the order in which their first packets appear, among those with the headers that events look at.
// A flow is found by a hash of its ends. What would be another flow, and has no number of its own, is counted: packets
// of flows that share a place, by another hash, and SYNs that open a connection anew between the same ends.
#ifndef PATH_FLOWS_P4
#define PATH_FLOWS_P4

// Which frames the events look at.
control PathWatches(in path_headers_t hdr, in bit<9> ingress_port, out bit<1> seen) {
    action see() {
        seen = 1;
    }

    table watches {
        key = {
            ingress_port: ternary @name("ingress_port");
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
        size = WATCHES;
    }

    apply {
        seen = 0;
        watches.apply();
    }
}

control PathFlows(in path_headers_t hdr, in bit<9> ingress_port, in bit<1> seen, in bit<1> opens, in ends_t ends,
                  out flow_number_t flow) {
    Hash<flow_slot_t>(HashAlgorithm_t.CRC16) slots;
    Hash<bit<32>>(HashAlgorithm_t.CRC32) checks;
    bit<32> check = 0;
    bit<1> known = 0;
    bit<1> shared = 0;
    bit<1> reopened = 0;
    flow_number_t fresh = 0;

    Register<bit<1>, flow_slot_t>(FLOW_SLOTS, 0) appeared;
    Register<flow_number_t, bit<1>>(1, 0) flows;
    Register<flow_number_t, flow_slot_t>(FLOW_SLOTS, 0) numbers;
    Register<bit<32>, flow_slot_t>(FLOW_SLOTS, 0) owners;
    Register<bit<32>, flow_slot_t>(FLOW_SLOTS, 0) openings;  // sequence numbers of SYNs
    Counter<bit<64>, bit<1>>(1, CounterType_t.PACKETS) unnumbered;
    Counter<bit<64>, bit<9>>(PATH_PORTS, CounterType_t.PACKETS) unmatched;

    RegisterAction<bit<1>, flow_slot_t, bit<1>>(appeared) appear = {
        void apply(inout bit<1> value, out bit<1> result) {
            result = value;
            value = 1;
        }
    };
    RegisterAction<flow_number_t, bit<1>, flow_number_t>(flows) next = {
        void apply(inout flow_number_t value, out flow_number_t result) {
            value = value |+| 1;
            result = value;
        }
    };
    RegisterAction<flow_number_t, flow_slot_t, flow_number_t>(numbers) give = {
        void apply(inout flow_number_t value) {
            value = fresh;
        }
    };
    RegisterAction<flow_number_t, flow_slot_t, flow_number_t>(numbers) recall = {
        void apply(inout flow_number_t value, out flow_number_t result) {
            result = value;
        }
    };
    RegisterAction<bit<32>, flow_slot_t, bit<1>>(owners) own = {
        void apply(inout bit<32> value) {
            value = check;
        }
    };
    RegisterAction<bit<32>, flow_slot_t, bit<1>>(owners) compare = {
        void apply(inout bit<32> value, out bit<1> result) {
            result = 0;
            if (value != check) {
                result = 1;
            }
        }
    };

    RegisterAction<bit<32>, flow_slot_t, bit<1>>(openings) open = {
        void apply(inout bit<32> value) {
            value = hdr.tcp.seq;
        }
    };
    RegisterAction<bit<32>, flow_slot_t, bit<1>>(openings) reopen = {
        void apply(inout bit<32> value, out bit<1> result) {
            result = 0;
            if (value != hdr.tcp.seq) {
                result = 1;
            }
            value = hdr.tcp.seq;
        }
    };

    apply {
        flow = 0;
        check = checks.get({ends.near, ends.far, ends.near_port, ends.far_port, ends.proto});
        if (seen == 0) {
            unmatched.count(ingress_port);
        } else if (hdr.tcp.isValid() || hdr.udp.isValid()) {
            known = appear.execute(slots.get({ends.near, ends.far, ends.near_port, ends.far_port, ends.proto}));
            if (known == 0) {
                fresh = next.execute(0);
                give.execute(slots.get({ends.near, ends.far, ends.near_port, ends.far_port, ends.proto}));
                own.execute(slots.get({ends.near, ends.far, ends.near_port, ends.far_port, ends.proto}));
                if (opens == 1) {
                    open.execute(slots.get({ends.near, ends.far, ends.near_port, ends.far_port, ends.proto}));
                }
                flow = fresh;
            } else {
                flow = recall.execute(slots.get({ends.near, ends.far, ends.near_port, ends.far_port, ends.proto}));
                shared = compare.execute(slots.get({ends.near, ends.far, ends.near_port, ends.far_port, ends.proto}));
                if (opens == 1) {
                    reopened = reopen.execute(
                        slots.get({ends.near, ends.far, ends.near_port, ends.far_port, ends.proto}));
                }
                if (shared == 1 || reopened == 1) {
                    unnumbered.count(0);
                }
            }
        }
    }
}

#endif
