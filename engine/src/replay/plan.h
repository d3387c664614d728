// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// A replay, after a first pass through its file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/rate.h"
#include "policy/address_rules.h"
#include "replay/rewrite.h"
#include "wire/signature_times.h"

namespace tester {

// Identifies an unchanged file. All 0: no file.
struct FileMark {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t bytes = 0;
  uint64_t written_ns = 0;

  static FileMark Of(const std::string& path);
  bool operator==(const FileMark&) const = default;
};

struct CaptureSummary {
  uint64_t frames = 0;
  uint64_t bytes = 0;                                        // of all of them, without FCS
  uint64_t duration_ns = 0;                                  // from the first to the last
  FileMark mark;                                             // before it was read
  std::shared_ptr<const wire::SignatureTimes> signatures{};  // that its frames end in
};

// Reads a file once. INVALID_ARGUMENT, with a message that starts with `where`: no such file, no
// frames, frames of less than 14 or more than `longest` bytes, frames with an `objection`, and
// everything that CaptureReader refuses.
using FrameObjection = std::function<std::string(MutableFrame)>;
CaptureSummary Survey(const std::string& path, size_t longest, const std::string& where,
                      const FrameObjection& objection = nullptr);

struct ReplayPlan {
  std::string path;
  uint64_t offset_ns = 0;    // from the start to the first frame
  size_t longest_frame = 0;  // that the port can send
  CaptureSummary summary;
  std::optional<Rate> rate;  // instead of the file's times
  double scale = 1;
  uint64_t repetitions = 1;  // 0: endless
  Rewrites rewrites;
  std::shared_ptr<const AddressRules> allowed{};  // null: all

  // From the first frame of a run to the first one of the next run: a mean gap follows the last
  // frame.
  uint64_t RunNs() const;
  // When a frame of a run that came so long after the first one in the file is due.
  uint64_t DueNs(uint64_t run, uint64_t frame, uint64_t after_ns) const;
  // How many frames are sent; UINT64_MAX: no end.
  uint64_t Total() const;
};

}  // namespace tester
