// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// libpcap asks each of its kinds of devices whether a name is theirs, D-Bus among them. testerd
// captures from no bus, so these take the place of libpcap's own, which need a library that no
// static archive has all of.

struct pcap;
struct pcap_if_list;

extern "C" {

int dbus_findalldevs(pcap_if_list* devices, char* error);
pcap* dbus_create(const char* name, char* error, int* is_ours);

int dbus_findalldevs(pcap_if_list*, char*) { return 0; }

pcap* dbus_create(const char*, char*, int* is_ours) {
  *is_ours = 0;
  return nullptr;
}

}  // extern "C"
