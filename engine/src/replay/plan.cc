// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

#include "replay/plan.h"

#include <cmath>

#include "base/error.h"
#include "base/int128.h"
#include "base/saturate.h"
#include "base/text.h"
#include "replay/capture_reader.h"
#include "replay/files.h"
#include "wire/ethernet.h"

namespace tester {

FileMark FileMark::Of(const std::string& path) {
  const std::optional<struct stat> file = StatCapture(path);
  if (!file) return {};
  constexpr uint64_t kNsPerS = 1'000'000'000;
  return {.device = file->st_dev,
          .inode = file->st_ino,
          .bytes = static_cast<uint64_t>(file->st_size),
          .written_ns = static_cast<uint64_t>(file->st_mtim.tv_sec) * kNsPerS +
                        static_cast<uint64_t>(file->st_mtim.tv_nsec)};
}

CaptureSummary Survey(const std::string& path, size_t longest, const std::string& where,
                      const FrameObjection& objection) {
  const FileMark mark = FileMark::Of(path);
  std::ifstream file = OpenCapture(path);
  CapturedFrame frame;
  CaptureSummary summary;
  uint64_t first_ns = 0;
  auto signatures = std::make_shared<wire::SignatureTimes>();
  if (!file.is_open()) {
    const std::string limit = CaptureFilesLimit();
    throw Error(Code::kInvalidArgument, Cat(where, ": the tester has no file ", Quote(path),
                                            " that it can read", limit.empty() ? "" : "; ", limit));
  }
  CaptureReader reader(file, Cat(where, ", ", Quote(path)));
  while (reader.Next(frame)) {
    const size_t bytes = frame.bytes.size();
    if (bytes < wire::kMacHeaderBytes || bytes > longest) {
      reader.Refuse(Cat("frame ", reader.count(), " has ", bytes, " bytes; the port can send ",
                        wire::kMacHeaderBytes, " to ", longest, ", without FCS"));
    }
    if (objection) {
      const std::string objected = objection(frame.bytes);
      if (!objected.empty()) reader.Refuse(Cat("frame ", reader.count(), ": ", objected));
    }
    if (reader.count() == 1) first_ns = frame.time_ns;
    if (bytes >= wire::kMacHeaderBytes + wire::kSignatureBytes) {
      signatures->Add(Frame(frame.bytes).last(wire::kSignatureBytes).data());
    }
    summary = {.frames = reader.count(),
               .bytes = summary.bytes + bytes,
               .duration_ns = frame.time_ns - first_ns,
               .mark = mark,
               .signatures = signatures};
  }
  if (summary.frames == 0) reader.Refuse("there is no frame in it");
  return summary;
}

uint64_t ReplayPlan::RunNs() const {
  if (rate) return DueTime(*rate, summary.frames);
  if (summary.frames == 1) return 0;
  const double gaps = static_cast<double>(summary.frames - 1);
  const double scaled = scale * static_cast<double>(summary.duration_ns);
  return static_cast<uint64_t>(std::llround(scaled + scaled / gaps));
}

uint64_t ReplayPlan::DueNs(uint64_t run, uint64_t frame, uint64_t after_ns) const {
  if (rate) return DueTime(*rate, Saturate(Uint128{run} * summary.frames + frame));
  const auto scaled = static_cast<uint64_t>(std::llround(scale * static_cast<double>(after_ns)));
  return Saturate(Uint128{run} * RunNs() + scaled);
}

uint64_t ReplayPlan::Total() const {
  return repetitions == 0 ? UINT64_MAX : Saturate(Uint128{repetitions} * summary.frames);
}

}  // namespace tester
