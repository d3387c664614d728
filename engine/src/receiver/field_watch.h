// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Expected header fields of a stream. They are compared in each frame that arrives whole, at any
// position, and differences are counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/counter.h"
#include "base/order.h"
#include "generator/frames/editor.h"
#include "generator/frames/frames_plan.h"
#include "receiver/field_relation.h"
#include "receiver/frame_pattern.h"
#include "receiver/integrity.h"
#include "wire/header_walk.h"

namespace tester {

inline constexpr size_t kMostFieldExpectations = 8;

// Counts of one expectation since the last start of its stream.
struct FieldCounts {
  // An unexpected value, and the value with which it was sent.
  struct Example {
    static constexpr uint64_t kUnknown = ~uint64_t{0};  // more bits than a field has

    Counter frames;
    Counter arrived;  // kUnknown: the frame does not have the header
    Counter sent;     // kUnknown: nobody knows
  };

  Counter compared;
  Counter wrong;           // of these
  Counter absent;          // of the wrong ones: without such a header
  Counter unknown;         // not compared: nobody knows what was sent
  Counter first_sequence;  // of the first wrong one
  // The first ones that differ; frames with further ones are in `wrong` only.
  std::array<Example, 4> examples;
};

// The expected fields of a stream, and the values with which they are sent.
class ExpectedFields {
 public:
  // How far a worker has come with the values of a stream.
  struct ValueCursor {
    OrderPlace order{};
    std::vector<EditorPlace> editors;
    std::vector<uint8_t> headers{};  // for Sent to write to
  };

  ExpectedFields(std::vector<FieldExpectation> expectations, const FramesPlan& contents);

  const std::vector<FieldExpectation>& expectations() const { return expectations_; }
  ValueCursor Begin() const;
  // The index of a frame in the stream's frames.
  size_t FrameOf(ValueCursor& cursor, uint64_t sequence) const;
  // The value with which field `index` of frame `frame` was sent as number `sequence`.
  uint64_t Sent(ValueCursor& cursor, size_t index, size_t frame, uint64_t sequence) const;
  // Whether a frame has its headers at the offsets of `frame`.
  bool HasTheSameHeaders(const SignedFrame& seen, size_t frame) const;
  // Field `index` of such a frame.
  uint64_t ReadInPlace(const SignedFrame& seen, size_t index) const;
  // Field `index` of any frame; nothing where the frame has no such header.
  std::optional<uint64_t> Find(const SignedFrame& seen, const wire::HeaderWalk& walk,
                               size_t index) const;

 private:
  struct Template {
    std::vector<uint8_t> headers;  // up to the last bit that Sent reads
    size_t bytes;
    FramePattern shape;            // what says where the headers are
    std::vector<uint64_t> values;  // by expectation
  };

  // A field in frames with other headers: in the n-th header of a kind.
  struct FieldLocation {
    std::optional<wire::HeaderKind> kind;  // nothing: behind all headers that are known
    size_t number = 0;
    size_t bit = 0;  // of the header, or of the frame
  };

  FieldLocation LocationOf(const Field& field, const wire::HeaderWalk& walk) const;

  std::vector<FieldExpectation> expectations_;
  Order order_;
  std::vector<Template> templates_;
  std::vector<FieldLocation> locations_;      // by expectation
  std::vector<Editor> editors_;               // that change a field which is expected
  std::vector<std::vector<size_t>> changed_;  // by expectation: the editors that change the field
  size_t sent_tags_ = 0;
};

// The run of a stream from one start to the next. One writer.
class FieldWatch {
 public:
  explicit FieldWatch(std::shared_ptr<const ExpectedFields> fields);

  // A frame that has arrived whole. Not `numbered`: the sequence numbers do not identify the
  // frames.
  void Look(const SignedFrame& seen, uint64_t sequence, bool numbered);

  const ExpectedFields& fields() const { return *fields_; }
  const FieldCounts& counts(size_t index) const { return counts_[index]; }

 private:
  const std::shared_ptr<const ExpectedFields> fields_;
  ExpectedFields::ValueCursor cursor_;
  std::array<FieldCounts, kMostFieldExpectations> counts_;
};

}  // namespace tester
