// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Fields of addresses of IPv6 that change between a parser and its deparser: editors reach the last 32 bits of both. Where
// answers are of IPv6, too, the whole destination is that of who asked; the source keeps the 96 bits of its template.
#ifndef CHANGING_P4
#define CHANGING_P4

#ifdef IPV6_ANSWERS
#define CHANGING_IPV6 hdr.ipv6.src_low, hdr.ipv6.dst_high, hdr.ipv6.dst_low
#else
#define CHANGING_IPV6 hdr.ipv6.src_low, hdr.ipv6.dst_low
#endif

#endif
