#include "core/error.hpp"
#include "storage/io_engine.hpp"

namespace assay {

std::string why_no_uring() { return "this program was built without liburing"; }

std::unique_ptr<IoEngine> make_uring_engine(const IoTarget&) { throw environment_error(why_no_uring()); }

}  // namespace assay
