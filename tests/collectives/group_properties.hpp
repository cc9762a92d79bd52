#pragma once

#include "core/group.hpp"

namespace assay {

/// What every kind of Group promises. Called by all ranks of `group` at once, on one host.
void expect_group_properties(Group& group);

}  // namespace assay
