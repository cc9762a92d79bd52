#include "collectives/nccl/operation_case.hpp"

#include <fmt/format.h>

#include "collectives/nccl/probe.hpp"
#include "core/error.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/wait.hpp"

namespace assay::nccl {

namespace {

// Of the deadline for a batch: the watchdog's patience ends later, so that a hang ends with an abort and words.
constexpr double batch_share = 0.4;
// Of the same deadline, for each step of trying who answers: six at most.
constexpr double probe_share = 0.08;
constexpr Seconds after_abort{2};

}  // namespace

OperationCase::OperationCase(Context& context, const OperationSetup& setup)
    : context_(context),
      group_(context.group),
      place_(place_of(context)),
      algorithm_(setup.algorithm),
      pace_(setup.pace),
      patience_(context.deadline.remaining() * batch_share) {
  Trouble trouble;
  trouble.guard([&] {
    device_ = &cuda::cuda_device(context.device);
    timer_.emplace(longest_batch);
    tally_.emplace();
    aligner_ = cuda::Memory(sizeof(float));
    operation_ = std::make_unique<Operation>(setup.kind, context, setup.bytes, setup.type, setup.in_place);
  });
  communicator_ = Communicators::get(context, setup.algorithm, setup.keeping, trouble);
  operation_->use(*communicator_, stream());
  work_ = setup.work;
  if (work_.amount == 0) {
    work_.kind = WorkKind::bytes;
    work_.amount = operation_->bytes();
    work_.bus_factor = setup.kind.bus_factor(group_.size());
  }
  if (pace_ == Pace::as_graph) record_graph(context);
}

void OperationCase::record_graph(const Context& context) {
  // Connections are made by an operation outside of a recording.
  Trouble trouble;
  trouble.guard([&] {
    operation_->fill(stream());
    operation_->call(*communicator_);
    wait(patience_);
  });
  agree(group_, trouble, "first operation", place_of(context));
  trouble.guard([&] { graph_ = cuda::Graph::capture(stream(), [&] { operation_->call(*communicator_); }); });
  agree(group_, trouble, "recording of a graph", place_of(context));
}

void OperationCase::wait(Seconds patience) const {
  const char* function = operation_->kind().function;
  communicator_->wait(stream(), Deadline(clock_, patience), *function == '\0' ? "send and receive" : function);
}

void OperationCase::begin() {
  trouble_ = {};
  timer_->reset();
  queued_ = 0;
  trouble_.guard([&] {
    operation_->fill(stream());
    communicator_->check(communicator_->library().all_reduce(aligner_.data(), aligner_.data(), 1, ncclFloat32, ncclSum,
                                                             communicator_->get(), stream().get()),
                         "ncclAllReduce");
  });
}

void OperationCase::run() {
  trouble_.guard([&] {
    if (operation_->consumes()) operation_->refill(stream());
    timer_->start(stream());
    if (pace_ == Pace::as_graph)
      graph_.launch(stream());
    else
      operation_->call(*communicator_);
    timer_->stop(stream());
    ++queued_;
    if (pace_ != Pace::queued) wait(patience_);
  });
}

void OperationCase::end() {
  // Ranks whose partner could not even start wait here for their whole patience; asking the others first would cost
  // every batch of every healthy run a message more.
  trouble_.guard([&] { wait(patience_); });
  if (!any_trouble(group_, trouble_)) return;
  const Progress progress = give_up();
  const char* function = operation_->kind().function;
  throw_together(group_, trouble_, *function == '\0' ? "send and receive" : function, place_, progress, [this] {
    return probe_neighbours(context_, operation_->kind(), patience_ * (probe_share / batch_share));
  });
}

Progress OperationCase::give_up() {
  const Progress progress{queued_, timer_->done()};
  communicator_->abort();
  Trouble stuck;
  stuck.guard([&] { cuda::wait(stream(), Deadline(clock_, after_abort), "work that was aborted"); });
  const bool blameless = !trouble_ || trouble_.only_late();
  if (stuck && blameless) {
    trouble_ = {};
    trouble_.guard([&] { throw environment_error(stuck.words() + ": even after ncclCommAbort", stuck.hint()); });
  }
  return progress;
}

Check OperationCase::verify() {
  Check check;
  Trouble trouble;
  trouble.guard([&] {
    tally_->clear(stream());
    operation_->check(stream(), *tally_);
    wait(patience_);
    check = cuda::check_of(tally_->read(stream()));
    if (!check.first.empty()) check.first = fmt::format("{}: {}", place_, check.first);
  });
  describe();
  if (trouble) throw environment_error("verification: " + trouble.words(), trouble.hint());
  return check;
}

void OperationCase::describe() {
  const Observed& observed = communicator_->observed();
  const std::string function = operation_->kind().function;
  Summary summary = merge_summaries(all_gather_texts(group_, summary_text(observed, function)));
  const std::string version = communicator_->library().version_text();
  if (summary.version.empty()) summary.version = version;
  const std::string wanted = algorithm_.substr(0, algorithm_.find(','));
  const bool other = !wanted.empty() && !summary.algorithm.empty() && !summary.algorithm.starts_with(wanted);
  if (other) summary.algorithm = fmt::format("no {} here: {}", wanted, summary.algorithm);
  method_ = communicator_->observable() ? method_text(summary, !function.empty())
                                        : fmt::format("NCCL {} (not asked: NCCL_DEBUG is the user's)", version);
}

bool OperationCase::corrupt() {
  const bool damaged = operation_->damage(stream());
  wait(patience_);
  return damaged;
}

}  // namespace assay::nccl
