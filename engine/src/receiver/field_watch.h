// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Header fields that have to arrive as their stream says: looked at in each frame that arrives
// whole, wherever its headers are, and counted where they are otherwise.
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
  // A value that arrived and was not expected, and the one that it was sent with.
  struct Example {
    static constexpr uint64_t kUnknown = ~uint64_t{0};  // more bits than a field has

    Counter frames;
    Counter arrived;  // kUnknown: the frame has no such header
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

// The fields of a stream, and what they are sent with.
class ExpectedFields {
 public:
  // How far a worker has come with the values of a stream.
  struct Place {
    OrderPlace order{};
    std::vector<EditorPlace> editors;
    std::vector<uint8_t> headers{};  // for Sent to write to
  };

  ExpectedFields(std::vector<FieldExpectation> expectations, const FramesPlan& contents);

  const std::vector<FieldExpectation>& expectations() const { return expectations_; }
  Place Begin() const;
  // The index of a frame among those that the stream has.
  size_t FrameOf(Place& place, uint64_t sequence) const;
  // The value with which field `index` of frame `frame` was sent as number `sequence`.
  uint64_t Sent(Place& place, size_t index, size_t frame, uint64_t sequence) const;
  // Whether the headers of a frame are where those of `frame` are.
  bool HasTheSameHeaders(const SignedFrame& seen, size_t frame) const;
  // Field `index` of such a frame.
  uint64_t ReadInPlace(const SignedFrame& seen, size_t index) const;
  // The same of any frame; nothing where it has no such header.
  std::optional<uint64_t> Find(const SignedFrame& seen, const wire::HeaderWalk& walk,
                               size_t index) const;

 private:
  struct Template {
    std::vector<uint8_t> headers;  // up to the last bit that Sent looks at
    size_t bytes;
    FramePattern shape;            // what says where the headers are
    std::vector<uint64_t> values;  // by expectation
  };

  // A field as it is found in frames with other headers: in the n-th header of a kind.
  struct Spot {
    std::optional<wire::HeaderKind> kind;  // nothing: behind all headers that are known
    size_t number = 0;
    size_t bit = 0;  // of the header, or of the frame
  };

  Spot SpotOf(const Field& field, const wire::HeaderWalk& walk) const;

  std::vector<FieldExpectation> expectations_;
  Order order_;
  std::vector<Template> templates_;
  std::vector<Spot> spots_;                   // by expectation
  std::vector<Editor> editors_;               // that change a field which is expected
  std::vector<std::vector<size_t>> changed_;  // by expectation: by which of them
  size_t sent_tags_ = 0;
};

// The run of a stream from one start to the next. One writer.
class FieldWatch {
 public:
  explicit FieldWatch(std::shared_ptr<const ExpectedFields> fields);

  // A frame that has arrived whole. Not `numbered`: nobody knows which frame has which sequence.
  void Look(const SignedFrame& seen, uint64_t sequence, bool numbered);

  const ExpectedFields& fields() const { return *fields_; }
  const FieldCounts& counts(size_t index) const { return counts_[index]; }

 private:
  const std::shared_ptr<const ExpectedFields> fields_;
  ExpectedFields::Place place_;
  std::array<FieldCounts, kMostFieldExpectations> counts_;
};

}  // namespace tester
