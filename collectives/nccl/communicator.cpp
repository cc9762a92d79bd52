#include "collectives/nccl/communicator.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <map>
#include <optional>
#include <thread>

#include "collectives/nccl/trouble.hpp"
#include "core/error.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/wait.hpp"

namespace assay::nccl {

namespace {

constexpr const char* algorithm_variable = "NCCL_ALGO";
constexpr const char* starting = "start of an NCCL communicator";

/// Holds NCCL_ALGO at a value. NCCL reads it anew for every communicator.
class PinnedAlgorithm {
 public:
  explicit PinnedAlgorithm(const std::string& setting) : pinned_(!setting.empty()) {
    if (!pinned_) return;
    if (const char* before = std::getenv(algorithm_variable)) before_ = before;
    setenv(algorithm_variable, setting.c_str(), 1);
  }
  PinnedAlgorithm(const PinnedAlgorithm&) = delete;
  PinnedAlgorithm& operator=(const PinnedAlgorithm&) = delete;
  ~PinnedAlgorithm() {
    if (!pinned_) return;
    if (before_)
      setenv(algorithm_variable, before_->c_str(), 1);
    else
      unsetenv(algorithm_variable);
  }

 private:
  bool pinned_;
  std::optional<std::string> before_;
};

/// What the thread that makes a communicator shares with the rank; it outlives the rank's patience.
struct Birth {
  ncclComm_t communicator = nullptr;
  ncclUniqueId id{};
  int ranks = 0;
  int rank = 0;
  std::string failure;
  std::promise<void> over;
};

void give_birth(const Library& library, const cuda::CudaDevice& device, Birth& birth) {
  try {
    device.make_current();
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 1;
    const ncclResult_t result =
        library.comm_init_rank_config(&birth.communicator, birth.ranks, birth.id, birth.rank, &config);
    if (result != ncclSuccess) birth.failure = "ncclCommInitRankConfig: " + library.words(result);
  } catch (const std::exception& error) {
    birth.failure = error.what();
  }
  birth.over.set_value();
}

/// The unique id of rank 0 on all ranks.
ncclUniqueId share_id(const Library& library, Group& group, Trouble& trouble) {
  ncclUniqueId id{};
  if (group.rank() == 0) {
    trouble.guard([&] {
      const ncclResult_t result = library.get_unique_id(&id);
      if (result != ncclSuccess) throw environment_error("ncclGetUniqueId: " + library.words(result));
    });
  }
  broadcast_value(group, id);
  return id;
}

}  // namespace

std::string place_of(const Context& context) {
  const auto own = static_cast<std::size_t>(context.group.rank());
  const int rank = own < context.members.size() ? context.members[own] : context.group.rank();
  return fmt::format("rank {} ({})", rank, cuda::device_place());
}

std::string version_conflict(const std::vector<std::string>& versions, const std::vector<int>& members) {
  std::map<std::string, std::vector<int>> ranks_with;
  for (std::size_t i = 0; i < versions.size(); ++i)
    ranks_with[versions[i]].push_back(i < members.size() ? members[i] : static_cast<int>(i));
  if (ranks_with.size() < 2) return {};
  std::string text;
  for (const auto& [version, ranks] : ranks_with)
    text += fmt::format("{}ranks {} have {}", text.empty() ? "" : ", ", format_ranks(ranks), version);
  return text;
}

Communicator::Communicator(const Library& library, DebugStream& debug, Context& context, const std::string& setting,
                           Seconds patience)
    : library_(library), debug_(debug) {
  (void)debug_.take();
  agree_on_version(context);
  try {
    start(context, setting, patience);
  } catch (...) {
    abort();
    throw;
  }
  observe(debug_.take(), observed_);
}

void Communicator::agree_on_version(Context& context) const {
  const auto versions = all_gather_texts(context.group, library_.version_text());
  if (const std::string conflict = version_conflict(versions, context.members); !conflict.empty())
    throw environment_error("NCCL differs between ranks: " + conflict, "let all nodes load the same NCCL");
}

void Communicator::start(Context& context, const std::string& setting, Seconds patience) {
  Trouble trouble;
  auto birth = std::make_shared<Birth>();
  birth->id = share_id(library_, context.group, trouble);
  agree(context.group, trouble, starting, place_of(context));
  birth->ranks = context.group.size();
  birth->rank = context.group.rank();
  auto over = birth->over.get_future();
  trouble.guard([&] {
    const PinnedAlgorithm pinned(setting);
    const cuda::CudaDevice& device = cuda::cuda_device(context.device);
    std::thread([library = library_, &device, birth] { give_birth(library, device, *birth); }).detach();
    if (over.wait_for(std::chrono::duration<double>(patience.value)) != std::future_status::ready)
      throw incomplete(fmt::format("not done after {:.0f} s", patience.value));
    communicator_ = birth->failure.empty() ? birth->communicator : nullptr;
    if (!birth->failure.empty()) throw environment_error(birth->failure);
  });
  if (trouble) observe(debug_.take(), observed_);
  if (!any_trouble(context.group, trouble)) return;
  const std::string warning = observed_.warnings.empty() ? "" : fmt::format(" (NCCL: {})", observed_.warnings.back());
  throw_together(context.group, trouble, starting, place_of(context) + warning, {});
}

Communicator::~Communicator() {
  if (communicator_ != nullptr) (void)library_.comm_destroy(communicator_);
}

void Communicator::check(ncclResult_t result, const char* what) const {
  if (result == ncclSuccess) return;
  throw environment_error(fmt::format("{}: {}", what, library_.words(result)));
}

void Communicator::wait(const cuda::Stream& stream, const Deadline& deadline, const char* what) const {
  cuda::wait(stream, deadline, what, [this, what] {
    ncclResult_t state = ncclSuccess;
    check(library_.comm_get_async_error(communicator_, &state), "ncclCommGetAsyncError");
    if (state != ncclInProgress) check(state, what);
  });
}

void Communicator::abort() noexcept {
  if (communicator_ == nullptr) return;
  (void)library_.comm_abort(communicator_);
  communicator_ = nullptr;
}

const Observed& Communicator::observed() {
  observe(debug_.take(), observed_);
  return observed_;
}

}  // namespace assay::nccl
