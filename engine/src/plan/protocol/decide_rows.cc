// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Compiles the rows of a cell to a decision tree that asks each question once. Rows of a cell test
// the same things in turn, and the answer to one test of two numbers often answers the next. The
// first row that can still hold asks the next question.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "plan/protocol/protocol_compiler.h"
#include "responder/machine/narrow.h"

namespace tester {
namespace {

using machine::Decision;

// A plan may have any number of rows. Cells with more rows or tests, and those beyond the limit of
// decisions, try their rows in turn.
constexpr size_t kMostRows = 64;
constexpr size_t kMostConditions = 512;
constexpr size_t kMostDecisions = 8192;
constexpr uint8_t kMostChoiceBits = 8;
constexpr size_t kLeastChoices = 3;  // rows about the same operand that are worth a table
constexpr uint32_t kNo = 1U << 0;
constexpr uint32_t kYes = 1U << 1;
constexpr uint32_t kNoQuestion = UINT32_MAX;

// The index of a question, and the answers with which a test of it holds.
struct Condition {
  uint32_t question;
  uint32_t holds;
};

// A row, and its tests that are still open.
struct Candidate {
  uint16_t row;
  std::vector<Condition> conditions;
};
using Candidates = std::vector<Candidate>;

class Decider {
 public:
  explicit Decider(machine::Machine& machine) : machine_(machine) {}

  void Decide(const machine::Table& table, machine::Cell& cell) {
    if (cell.rows > kMostRows || IsFull()) return;
    Candidates rows;
    size_t conditions = 0;
    for (uint32_t i = 0; i < cell.rows; ++i) {
      rows.push_back(CandidateOf(table.order[cell.first + i]));
      conditions += rows.back().conditions.size();
    }
    if (conditions > kMostConditions) return;
    const uint32_t decision = Choose(Known(rows, kNoQuestion, 0));
    if (!IsFull()) cell.decision = decision;
  }

 private:
  bool IsFull() const { return machine_.decisions.size() > kMostDecisions; }

  Candidate CandidateOf(uint16_t index) {
    const machine::Row& row = machine_.rows[index];
    Candidate candidate{.row = index, .conditions = {}};
    for (uint32_t i = 0; i < row.tests; ++i) {
      candidate.conditions.push_back(ConditionOf(row.first_test + i));
    }
    return candidate;
  }

  Condition ConditionOf(uint32_t index) {
    using Kind = machine::Test::Kind;
    const machine::Test& test = machine_.tests[index];
    Decision decision{.kind = Decision::Kind::kTest, .left = static_cast<uint16_t>(index)};
    uint32_t holds = kYes;
    uint32_t answers = kNo | kYes;
    if (test.kind == Kind::kNarrow) {
      decision = {.kind = Decision::Kind::kValues, .left = test.left, .right = test.right};
    } else if (test.kind == Kind::kOperands && HasLoad(test.left) && HasLoad(test.right)) {
      decision = {.kind = Decision::Kind::kPair, .left = test.left, .right = test.right};
      decision.first = machine_.operands[test.left].load;
      decision.second = machine_.operands[test.right].load;
    } else if (test.kind == Kind::kMask && HasLoad(test.left)) {
      decision = {.kind = Decision::Kind::kMask, .left = test.left, .right = 0};
      decision.first = machine_.operands[test.left].load;
      decision.value = test.value;
    }
    if (decision.kind != Decision::Kind::kTest) decision.mask = test.mask;
    if (decision.kind == Decision::Kind::kPair || decision.kind == Decision::Kind::kValues) {
      holds = machine::HoldsIn(test.relation);
      answers = machine::kAllOutcomes;
    }
    const auto [entry, is_new] = known_.try_emplace(
        {decision.kind, decision.left, decision.right, decision.mask, decision.value},
        questions_.size());
    if (is_new) {
      questions_.push_back(decision);
      answers_.push_back(answers);
    }
    return {.question = entry->second, .holds = holds};
  }

  bool HasLoad(uint16_t operand) const {
    return machine_.operands[operand].load.kind != machine::FieldLoad::Kind::kNone;
  }

  // The rows that remain after this answer to a question.
  static Candidates Known(const Candidates& rows, uint32_t question, uint32_t answers) {
    Candidates left;
    for (const Candidate& row : rows) {
      Candidate candidate{.row = row.row, .conditions = {}};
      bool can_hold = true;
      for (const Condition& condition : row.conditions) {
        if (condition.question != question) {
          candidate.conditions.push_back(condition);
        } else if (const uint32_t holds = condition.holds & answers; holds != answers) {
          can_hold &= holds != 0;
          candidate.conditions.push_back({.question = question, .holds = holds});
        }
      }
      if (can_hold) left.push_back(std::move(candidate));
      if (!left.empty() && left.back().conditions.empty()) break;
    }
    return left;
  }

  // Flags leave few rows of a packet.
  uint32_t Choose(const Candidates& rows) {
    const std::optional<uint16_t> operand = OperandOfMost(rows);
    if (!operand) return Ask(rows);
    machine::Choice choice;
    for (size_t value = 0; value < choice.size(); ++value) {
      Candidates left = rows;
      for (uint32_t i = 0; i < questions_.size(); ++i) {
        if (!IsMaskOf(i, *operand)) continue;
        const bool holds = (value & questions_[i].mask) == questions_[i].value;
        left = Known(left, i, holds ? kYes : kNo);
      }
      choice[value] = Ask(left);
    }
    machine_.choices.push_back(choice);
    return Add({.kind = Decision::Kind::kChoice,
                .left = static_cast<uint16_t>(machine_.choices.size() - 1),
                .first = machine_.operands[*operand].load});
  }

  bool IsMaskOf(uint32_t question, uint16_t operand) const {
    const Decision& decision = questions_[question];
    return decision.kind == Decision::Kind::kMask && decision.left == operand;
  }

  std::optional<uint16_t> OperandOfMost(const Candidates& rows) const {
    std::map<uint16_t, size_t> counts;
    for (const Candidate& row : rows) {
      for (const Condition& condition : row.conditions) {
        const Decision& decision = questions_[condition.question];
        if (decision.kind != Decision::Kind::kMask) continue;
        if (machine_.operands[decision.left].bits <= kMostChoiceBits) ++counts[decision.left];
      }
    }
    const auto most =
        std::max_element(counts.begin(), counts.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == counts.end() || most->second < kLeastChoices) return std::nullopt;
    return most->first;
  }

  // The decision that leads to the first row that holds.
  uint32_t Ask(const Candidates& rows) {
    if (rows.empty()) return Decision::kNoRow;
    if (rows[0].conditions.empty()) return Decision::kRow | rows[0].row;
    const uint32_t question = rows[0].conditions[0].question;
    const auto key = KeyOf(rows);
    if (const auto made = made_.find(key); made != made_.end()) return made->second;
    Decision decision = questions_[question];
    if (IsFull()) return Decision::kNoRow;  // an unreachable decision
    uint32_t open = answers_[question];
    while (open != 0) {
      const uint32_t alike = Alike(rows, question, open);
      const uint32_t next = Ask(Known(rows, question, alike));
      for (uint32_t answer = 0; answer < decision.next.size(); ++answer) {
        if ((alike >> answer & 1U) != 0) decision.next[answer] = next;
      }
      open &= ~alike;
    }
    return made_[key] = Add(decision);
  }

  // The first of these answers, and all that no test distinguishes from it.
  static uint32_t Alike(const Candidates& rows, uint32_t question, uint32_t answers) {
    const uint32_t first = answers & ~(answers - 1);
    for (const Candidate& row : rows) {
      for (const Condition& condition : row.conditions) {
        if (condition.question != question) continue;
        const bool holds = (condition.holds & first) != 0;
        answers &= holds ? condition.holds : ~condition.holds;
      }
    }
    return answers;
  }

  static std::vector<uint32_t> KeyOf(const Candidates& rows) {
    std::vector<uint32_t> key;
    for (const Candidate& row : rows) {
      key.push_back(row.row);
      key.push_back(static_cast<uint32_t>(row.conditions.size()));
      for (const Condition& condition : row.conditions) {
        key.push_back(condition.question);
        key.push_back(condition.holds);
      }
    }
    return key;
  }

  uint32_t Add(const Decision& decision) {
    machine_.decisions.push_back(decision);
    return static_cast<uint32_t>(machine_.decisions.size() - 1);
  }

  machine::Machine& machine_;
  std::vector<Decision> questions_;
  std::vector<uint32_t> answers_;  // that each may have
  std::map<std::tuple<Decision::Kind, uint16_t, uint16_t, uint64_t, uint64_t>, uint32_t> known_;
  std::map<std::vector<uint32_t>, uint32_t> made_;
};

}  // namespace

void DecideRows(machine::Machine& machine) {
  Decider decider(machine);
  for (machine::Table& table : machine.tables) {
    for (machine::Cell& cell : table.cells) decider.Decide(table, cell);
  }
}

}  // namespace tester
