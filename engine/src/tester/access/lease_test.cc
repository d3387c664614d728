// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0

// Leases, with a clock of the test.
#include "tester/access/lease.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tester/access/guard.h"
#include "tester/tester_testing.h"

namespace tester {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr uint64_t kSecond = 1'000'000'000;

v1::AcquireLeaseRequest Wish(const std::string& owner, uint64_t ttl_ns = 60 * kSecond,
                             bool force = false, bool detached = false) {
  v1::AcquireLeaseRequest request;
  request.set_owner(owner);
  request.set_ttl_ns(ttl_ns);
  request.set_force(force);
  request.set_detached(detached);
  return request;
}

Client Named(const std::string& name, const std::string& token = {}) {
  return {.name = name, .token = token};
}

// The message of a call that the lease refuses; empty if it is allowed.
template <typename Call>
std::string Refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kPermissionDenied) << error.what();
    return error.what();
  }
  return {};
}

class LeaseTest : public testing::Test {
 protected:
  std::string Check(const std::string& token, milliseconds later = {}) const {
    return Refusal([&] { lease.Check(Named("somebody", token), now + later); });
  }

  Lease lease{false};
  const Lease::Clock::time_point now = Lease::Clock::now();
};

TEST_F(LeaseTest, WithoutOneEverybodyMayUseTheTester) {
  EXPECT_EQ(Check(""), "");
  EXPECT_FALSE(lease.Message(now).has_value());
}

TEST_F(LeaseTest, WhereOneIsRequiredNobodyMayWithoutIt) {
  const Lease required(true);
  const std::string said = Refusal([&] { required.Check(Named("bob"), now); });
  EXPECT_THAT(said, AllOf(HasSubstr("nobody without a lease"), HasSubstr("acquire a lease")));
  EXPECT_EQ(Refusal([&] { required.Check(Client::Process(), now); }), "");
}

TEST_F(LeaseTest, OthersAreToldWhoHasItAndWhatToDo) {
  const std::string token = lease.Grant(Wish("alice"), Named("her suite"), now);
  EXPECT_EQ(Check(token), "");
  for (const std::string& other : {std::string(), std::string("1.0"), token + "0"}) {
    EXPECT_THAT(Check(other),
                AllOf(HasSubstr(R"(leased to "alice" (her suite) since 2)"),
                      HasSubstr(" UTC unless it is renewed; wait until it ends, ask its owner"),
                      HasSubstr("by force")));
  }
  EXPECT_EQ(lease.Message(now)->remaining_ns(), 60 * kSecond);
}

TEST_F(LeaseTest, ItEndsUnlessItIsRenewed) {
  const std::string token = lease.Grant(Wish("alice", kSecond), Named("her suite"), now);
  EXPECT_EQ(Check(token, milliseconds(999)), "");
  EXPECT_THAT(Check(token, seconds(1)),
              StartsWith(R"(lease 1 of "alice" was not renewed for 1 s)"));
  EXPECT_TRUE(lease.IsOver(now + seconds(1)));
  EXPECT_NE(Refusal([&] { lease.Renew(Named("", token), now + seconds(1)); }), "") << "too late";
  lease.Renew(Named("", token), now + milliseconds(999));
  EXPECT_EQ(Check(token, milliseconds(1998)), "");
  EXPECT_NE(Check(token, milliseconds(1999)), "");
}

TEST_F(LeaseTest, AnOldTokenIsRefusedForEverAndToldHowItEnded) {
  const std::string first = lease.Grant(Wish("alice"), Named("her suite"), now);
  lease.End(R"(it was taken over by "bob")");
  EXPECT_THAT(Check(first), AllOf(StartsWith(R"(lease 1 of "alice" ended at 2)"),
                                  HasSubstr("taken over by \"bob\"; nobody holds one now")));
  const std::string second = lease.Grant(Wish("bob"), Named("his suite"), now);
  EXPECT_THAT(Check(first), AllOf(StartsWith(R"(lease 1 of "alice" ended at 2)"),
                                  HasSubstr(R"(leased to "bob" (his suite))")));
  EXPECT_EQ(Check(second), "");
  EXPECT_THAT(second, StartsWith("2."));
  EXPECT_EQ(second.size(), first.size());
  EXPECT_NE(second.substr(2), first.substr(2));
  EXPECT_NE(Refusal([&] { lease.CheckHeld(Named("", first), now); }), "") << "ends nobody else's";
}

TEST_F(LeaseTest, ATokenOfAnEarlierProcessIsKnownAsSuch) {
  EXPECT_THAT(Check("7.0123456789abcdef0123456789abcdef"), HasSubstr("started anew"));
}

TEST_F(LeaseTest, BadTermsAreRefused) {
  const auto code = [&](const v1::AcquireLeaseRequest& request, const std::string& token = {}) {
    return CodeOf([&] { lease.CheckAcquire(request, Named("bob", token), now); });
  };
  EXPECT_EQ(code(Wish("")), Code::kInvalidArgument);
  EXPECT_EQ(code(Wish("a\nb")), Code::kInvalidArgument);
  EXPECT_EQ(code(Wish(std::string(129, 'x'))), Code::kInvalidArgument);
  for (const uint64_t ttl : {uint64_t{0}, kSecond - 1, 3600 * kSecond + 1, UINT64_MAX}) {
    EXPECT_EQ(code(Wish("bob", ttl, true)), Code::kInvalidArgument) << ttl;
  }
  const std::string token = lease.Grant(Wish("alice"), Named("her suite"), now);
  EXPECT_EQ(code(Wish("bob")), Code::kPermissionDenied);
  EXPECT_EQ(code(Wish("alice", kSecond, true), token), Code::kAlreadyExists);
  EXPECT_NO_THROW(lease.CheckAcquire(Wish("bob", 3600 * kSecond, true), Named("bob"), now));
}

// Leases of a tester: their effect on jobs and captures.
class LeasedTest : public LoopTest {
 protected:
  Client Acquire(const v1::AcquireLeaseRequest& request) {
    return Named(request.owner(), tester->AcquireLease(request, Named(request.owner())).token());
  }

  // Starts an endless stream and a capture of it.
  void Work(const Client& client, const std::string& job = "job", uint32_t id = 1) {
    tester->Load(JobOf(job, {{.id = id}}), client);
    v1::Capture capture;
    capture.set_name(job);
    capture.add_ports("a");
    capture.set_frames(10);
    tester->StartCapture(capture, client);
    tester->Start({job}, 0, 0, 0, client);
  }

  v1::Snapshot All() { return tester->TakeSnapshot({}, Client::Process()); }
  uint64_t Sent() {
    const v1::Snapshot all = All();
    return all.ports(0).tx_packets();
  }
  void ExpectNothingIsLeft() {
    EXPECT_EQ(All().jobs_size(), 0);
    EXPECT_EQ(All().captures_size(), 0);
    const uint64_t sent = Sent();
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_EQ(Sent(), sent) << "it still sends";
  }
};

TEST_F(LeasedTest, NobodyElseTouchesOrReadsAnything) {
  const Client alice = Acquire(Wish("alice"));
  Work(alice);
  v1::StopCaptureResponse stopped = tester->StopCapture("job", alice);
  v1::Capture capture;
  capture.set_name("his");
  capture.add_ports("a");
  capture.set_frames(1);
  v1::ReadFlowsRequest flows;
  flows.set_job("job");
  flows.set_stream_id(1);
  v1::InjectRequest inject;
  inject.set_port("a");
  inject.add_frames(std::string(60, '\0'));
  v1::ResolveRequest resolve;
  resolve.set_port("a");
  resolve.set_address(std::string("\xc6\x12\0\1", 4));
  resolve.set_source_address(std::string("\xc6\x12\0\2", 4));
  resolve.set_source_mac(std::string("\2\0\0\0\0\1", 6));
  const uint64_t starts = All().jobs(0).starts();
  for (const Client& bob : {Named("bob"), Named("bob", "1.ffffffffffffffffffffffffffffffff")}) {
    const std::vector<std::function<void()>> calls = {
        [&] { tester->Load(JobOf("other", {{.id = 2}}), bob); },
        [&] { tester->Start({"job"}, 0, 0, 0, bob); },
        [&] { tester->Stop({"job"}, bob); },
        [&] { tester->Update("job", JobOf("job", {{.id = 1}}).streams(0), bob); },
        [&] { tester->Unload({"job"}, bob); },
        [&] { tester->Flip({"job"}, bob); },
        [&] { tester->Progress({"job"}, bob); },
        [&] { tester->TakeSnapshot({}, bob); },
        [&] {
          tester->ReadFlows(
              flows, [](const auto&) { return true; }, bob);
        },
        [&] { tester->StartCapture(capture, bob); },
        [&] { tester->StopCapture("job", bob); },
        [&] {
          tester->ReadCapture(
              "job", [](const auto&) { return true; }, bob);
        },
        [&] { tester->ForgetCapture("job", bob); },
        [&] { tester->single_frames().Inject(inject, bob); },
        [&] {
          tester->single_frames().Resolve(
              resolve, [] { return false; }, bob);
        },
        [&] { tester->RenewLease(bob); },
        [&] { tester->ReleaseLease(bob); },
        [&] { tester->AcquireLease(Wish("bob"), bob); },
        [&] { tester->Shutdown(bob); },
    };
    for (size_t i = 0; i < calls.size(); ++i) {
      EXPECT_THAT(Refusal(calls[i]), HasSubstr(R"(leased to "alice" (alice))")) << "call " << i;
    }
  }
  EXPECT_TRUE(tester->Progress({"job"}, alice).sending());
  EXPECT_EQ(All().jobs(0).starts(), starts);
  EXPECT_EQ(All().jobs_size(), 1);
  EXPECT_EQ(All().captures_size(), 1);
  EXPECT_EQ(tester->GetLease().lease().owner(), "alice");
}

TEST_F(LeasedTest, WhatWasDoneUnderItEndsWithIt) {
  const Client alice = Acquire(Wish("alice"));
  Work(alice);
  tester->ReleaseLease(alice);
  ExpectNothingIsLeft();
  EXPECT_FALSE(tester->GetLease().has_lease());
  EXPECT_THAT(Refusal([&] { tester->Progress({"job"}, alice); }), HasSubstr("it was released"));
  EXPECT_NO_THROW(tester->TakeSnapshot({}, Named("bob")));
}

TEST_F(LeasedTest, AClientThatDoesNotRenewStopsSending) {
  const Guard guard(*tester);
  const Client alice = Acquire(Wish("alice", 3 * kSecond));
  Work(alice);
  while (tester->GetLease().has_lease()) std::this_thread::sleep_for(milliseconds(10));
  while (All().jobs_size() > 0) std::this_thread::sleep_for(milliseconds(1));
  ExpectNothingIsLeft();
  EXPECT_THAT(Refusal([&] { tester->Progress({"job"}, alice); }),
              AllOf(HasSubstr("not renewed"), HasSubstr("nobody holds one now")));
  const Client bob = Acquire(Wish("bob"));
  EXPECT_THAT(Refusal([&] { tester->Progress({"job"}, alice); }), HasSubstr(R"(leased to "bob")"));
  EXPECT_EQ(CodeOf([&] { tester->Progress({"job"}, bob); }), Code::kNotFound);
}

// Without a guard, as if it waited for another call.
TEST_F(LeasedTest, AFenceStopsTrafficBeforeTheOrderDoes) {
  const Client alice = Acquire(Wish("alice", kSecond));
  Work(alice);
  tester->CloseFences();
  const uint64_t before = Sent();
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_GT(Sent(), before) << "the lease is in force";
  std::this_thread::sleep_for(milliseconds(1100));
  tester->CloseFences();
  std::this_thread::sleep_for(milliseconds(5));
  const uint64_t at_fence = Sent();
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_EQ(Sent(), at_fence);
  tester->EndOverdueLease();
  ExpectNothingIsLeft();
  tester->CloseFences();
  const Client bob = Acquire(Wish("bob"));
  Work(bob);
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_GT(Sent(), at_fence) << "the fence is open again";
}

TEST_F(LeasedTest, ADetachedJobHasNoFence) {
  const Client alice = Acquire(Wish("alice", kSecond, false, true));
  Work(alice);
  std::this_thread::sleep_for(milliseconds(1100));
  tester->CloseFences();
  const uint64_t before = Sent();
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_GT(Sent(), before);
}

TEST_F(LeasedTest, ObserversThatPollDoNotDelayTheEnd) {
  const Guard guard(*tester);
  const Client alice = Acquire(Wish("alice", kSecond));
  Work(alice);
  std::atomic<bool> ended{false};
  std::vector<std::thread> observers;
  for (int i = 0; i < 4; ++i) {
    observers.emplace_back([&] {
      while (!ended) All();
    });
  }
  const auto over = std::chrono::steady_clock::now() + seconds(1) + milliseconds(60);
  std::this_thread::sleep_until(over);
  const uint64_t at_end = Sent();
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(Sent(), at_end);
  ended = true;
  for (auto& observer : observers) observer.join();
}

TEST_F(LeasedTest, DetachedJobsAreForTheNextOne) {
  const Client alice = Acquire(Wish("alice", kSecond, false, true));
  Work(alice);
  tester->ReleaseLease(alice);
  EXPECT_EQ(All().captures_size(), 1);
  const Client bob = Acquire(Wish("bob"));
  EXPECT_TRUE(tester->Progress({"job"}, bob).sending());
  tester->Unload({"job"}, bob);
}

TEST_F(LeasedTest, ByForceEverythingEnds) {
  const Client alice = Acquire(Wish("alice"));
  Work(alice);
  const auto taken = tester->AcquireLease(Wish("bob", kSecond, true), Named("his suite"));
  EXPECT_EQ(taken.taken_over().owner(), "alice");
  EXPECT_GT(taken.lease().number(), taken.taken_over().number());
  ExpectNothingIsLeft();
  EXPECT_THAT(
      Refusal([&] { tester->Progress({"job"}, alice); }),
      AllOf(HasSubstr(R"(taken over by "bob" (his suite))"), HasSubstr(R"(leased to "bob")")));
}

TEST_F(LeasedTest, WhoSendsWithoutOneIsNotSentBeside) {
  Work(Named("carol"));
  EXPECT_THAT(Refusal([&] { Acquire(Wish("alice")); }),
              HasSubstr(R"(job "job", which carol started without a lease, is running)"));
  EXPECT_TRUE(tester->Progress({"job"}, Named("carol")).sending()) << "refused changes nothing";
  Acquire(Wish("alice", kSecond, true));
  ExpectNothingIsLeft();
}

TEST_F(LeasedTest, NobodyAcquiresATesterThatEnds) {
  tester->End("bob");
  EXPECT_EQ(CodeOf([&] { Acquire(Wish("alice")); }), Code::kAborted);
}

}  // namespace
}  // namespace tester
