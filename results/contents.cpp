#include "results/contents.hpp"

#include <fmt/format.h>

#include <vector>

#include "core/error.hpp"
#include "core/statistics.hpp"

namespace assay::results {
namespace {

using RunField = Field<RunInfo>;

constexpr const char* group_name = "run";
constexpr const char* major_name = "schema_major";
constexpr const char* minor_name = "schema_minor";
constexpr std::uint64_t samples_chunk_bytes = 1 << 20;

void create_value(hid_t group, const char* name, hid_t type, const void* value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "create HDF5 space");
  const Handle attribute(H5Acreate2(group, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         fmt::format("create attribute {}", name));
  check_hdf5(H5Awrite(attribute.get(), type, value), fmt::format("write attribute {}", name));
}

std::vector<char> packed(const RunField& field, const RunInfo& info, hid_t type) {
  std::vector<char> bytes(H5Tget_size(type));
  store(field, info, bytes.data(), bytes.size());
  return bytes;
}

void create_run(hid_t file, const RunInfo& info) {
  const Handle group(H5Gcreate2(file, group_name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "create /run");
  create_value(group.get(), major_name, H5T_NATIVE_INT, &schema_major);
  create_value(group.get(), minor_name, H5T_NATIVE_INT, &schema_minor);
  for (const RunField& field : Table<RunInfo>::fields) {
    const Handle type = field_type(field);
    create_value(group.get(), std::string(field.name).c_str(), type.get(), packed(field, info, type.get()).data());
  }
}

template <class Row>
OpenTable<Row> create_table(hid_t file, Storage storage) {
  OpenTable<Row> table;
  table.dataset = Dataset::create(file, Table<Row>::name, table.layout.type(), Shape{}, storage);
  write_attribute(table.dataset.id(), "definition", Table<Row>::summary);
  for (const auto& field : Table<Row>::fields) {
    write_attribute(table.dataset.id(), column_attribute(field.name, "unit"), field.unit);
    write_attribute(table.dataset.id(), column_attribute(field.name, "definition"), field.definition);
  }
  return table;
}

Dataset create_array(hid_t file, const Array& array, hid_t type, Shape shape, Storage storage) {
  Dataset dataset = Dataset::create(file, array.name, type, shape, storage);
  write_attribute(dataset.id(), "unit", array.unit);
  write_attribute(dataset.id(), "definition", array.definition);
  return dataset;
}

/// -1 when absent.
int read_version(hid_t group, const char* name) {
  if (H5Aexists(group, name) <= 0) return -1;
  const Handle attribute(H5Aopen(group, name, H5P_DEFAULT), H5Aclose, fmt::format("open attribute {}", name));
  int value = -1;
  check_hdf5(H5Aread(attribute.get(), H5T_NATIVE_INT, &value), fmt::format("read attribute {}", name));
  return value;
}

void check_version(int major, int minor) {
  if (major < 0 || minor < 0) throw bad_input("/run has no schema version: not a result file of assay");
  if (major == schema_major) return;
  throw bad_input(fmt::format("schema {}.{} cannot be read: this program reads {}.x", major, minor, schema_major),
                  "use the version of assay that wrote the file");
}

void read_value(hid_t group, const RunField& field, RunInfo& info) {
  const std::string name(field.name);
  if (H5Aexists(group, name.c_str()) <= 0) throw bad_input("/run: attribute " + name + " is missing");
  const Handle attribute(H5Aopen(group, name.c_str(), H5P_DEFAULT), H5Aclose, "open attribute " + name);
  const Handle space(H5Aget_space(attribute.get()), H5Sclose, "get HDF5 space");
  if (H5Sget_simple_extent_npoints(space.get()) != 1) throw bad_input("/run: attribute " + name + " is not one value");
  const Handle type = reading_type(field, Handle(H5Aget_type(attribute.get()), H5Tclose, "get HDF5 type"));
  std::vector<char> bytes(H5Tget_size(type.get()));
  check_hdf5(H5Aread(attribute.get(), type.get(), bytes.data()), "read attribute " + name);
  load(field, info, bytes.data(), bytes.size());
}

}  // namespace

Contents create_contents(hid_t file, const RunInfo& info, Storage storage) {
  create_run(file, info);
  Contents contents;
  std::apply([&]<class... Row>(OpenTable<Row>&... table) { ((table = create_table<Row>(file, storage)), ...); },
             contents.tables);
  contents.members = create_array(file, members_array, native_type<std::int32_t>(), Shape{}, storage);
  contents.samples =
      create_array(file, samples_array, native_type<double>(), {.chunk_bytes = samples_chunk_bytes}, storage);
  contents.histograms =
      create_array(file, histograms_array, native_type<std::uint64_t>(), {.width = LogHistogram::bins}, storage);
  return contents;
}

void rewrite_status(hid_t file, const RunInfo& info) {
  const Handle group(H5Gopen2(file, group_name, H5P_DEFAULT), H5Gclose, "open /run");
  for (const RunField& field : Table<RunInfo>::fields) {
    const std::string name(field.name);
    if (name != "status" && name != "status_reason") continue;
    const Handle attribute(H5Aopen(group.get(), name.c_str(), H5P_DEFAULT), H5Aclose, "open attribute " + name);
    const Handle type = field_type(field);
    check_hdf5(H5Awrite(attribute.get(), type.get(), packed(field, info, type.get()).data()),
               "write attribute " + name);
  }
}

RunInfo read_run(hid_t file) {
  if (H5Lexists(file, group_name, H5P_DEFAULT) <= 0) throw bad_input("no group /run: not a result file of assay");
  const Handle group(H5Gopen2(file, group_name, H5P_DEFAULT), H5Gclose, "open /run");
  check_version(read_version(group.get(), major_name), read_version(group.get(), minor_name));
  RunInfo info;
  for (const RunField& field : Table<RunInfo>::fields) read_value(group.get(), field, info);
  return info;
}

}  // namespace assay::results
