// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// The headers of a frame, from Ethernet to the innermost header, and their checksums. The walk goes
// through VLAN tags, MPLS, IPv4, IPv6 with extension headers, GRE, IP in IP and VXLAN. It ends at
// fragments, at encrypted data and at unknown headers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/bytes.h"
#include "wire/header_fault.h"

namespace tester::wire {

enum class HeaderKind : uint8_t {
  kEthernet,  // with its tags
  kMpls,      // one label
  kIpv4,      // with its options
  kIpv6,
  kIpv6Extension,
  kUdp,
  kTcp,
  kIcmp,  // of either version
  kTunnel,
};

struct Bytes {
  size_t begin = 0;  // in the frame
  size_t size = 0;

  size_t end() const { return begin + size; }
};

struct Header {
  HeaderKind kind;
  Bytes at;
};

// An Internet checksum (RFC 1071), and the bytes that it covers.
struct CoveredSum {
  HeaderFault fault;
  size_t offset;         // of the checksum
  bool may_be_left_out;  // as 0
  uint64_t constant;     // of the pseudo header: protocol and length
  // The addresses of the pseudo header (one may be in a routing header), then all other bytes. An
  // entry without bytes is unused.
  std::array<Bytes, 3> covered;
};

class HeaderWalk {
 public:
  // A complete frame; from `end` on it is padding.
  HeaderWalk(Frame frame, size_t end);

  std::span<const Header> headers() const { return {headers_.data(), header_count_}; }
  std::span<const CoveredSum> sums() const { return {sums_.data(), sum_count_}; }
  size_t tags() const { return tags_; }  // VLAN tags of the outermost Ethernet header
  // The end of the innermost header.
  size_t end_of_headers() const {
    return header_count_ == 0 ? 0 : headers_[header_count_ - 1].at.end();
  }

  // Lengths that disagree, and hop counts that are 0.
  HeaderFaults faults() const { return faults_; }
  // Faults of checksums only.
  HeaderFaults WrongSums() const;
  // The part of the headers that this byte of the frame belongs to.
  HeaderFault PartAt(size_t offset) const;

 private:
  static constexpr size_t kMostHeaders = 24;
  static constexpr size_t kMostSums = 16;

  // The addresses of the IP header that has just been read, for pseudo headers.
  struct PseudoHeader {
    Bytes source;
    Bytes destination;
    bool v6 = false;
    bool known = true;
  };

  bool Add(HeaderKind kind, size_t begin, size_t size);
  void Add(const CoveredSum& sum);
  void Fault(HeaderFault fault) { faults_ |= BitOf(fault); }
  bool Has(size_t begin, size_t size, size_t end) const { return begin + size <= end; }

  void ReadEthernet(size_t begin, size_t end);
  void ReadEtherType(uint16_t type, size_t begin, size_t end);
  void ReadMpls(size_t begin, size_t end);
  void ReadIp(size_t begin, size_t end);
  void ReadIpv4(size_t begin, size_t end);
  void ReadIpv6(size_t begin, size_t end);
  void ReadProtocol(uint8_t protocol, const PseudoHeader& pseudo, size_t begin, size_t end);
  void ReadUdp(const PseudoHeader& pseudo, size_t begin, size_t end);
  void ReadVxlan(size_t begin, size_t end);
  void ReadGre(size_t begin, size_t end);
  void AddTransport(HeaderFault fault, size_t offset, uint8_t protocol, const PseudoHeader& pseudo,
                    Bytes body);

  const Frame frame_;
  std::array<Header, kMostHeaders> headers_;
  std::array<CoveredSum, kMostSums> sums_;
  size_t header_count_ = 0;
  size_t sum_count_ = 0;
  size_t tags_ = 0;
  HeaderFaults faults_ = kNoFaults;
};

// Whether the checksum is right, or left out where it may be.
bool IsRight(const CoveredSum& sum, Frame frame);

}  // namespace tester::wire
