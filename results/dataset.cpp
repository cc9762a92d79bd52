#include "results/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "results/value_type.hpp"

namespace assay::results {
namespace {

constexpr unsigned compression_level = 1;  ///< higher levels cost seconds per GiB and gain little on timings

using Extent = std::array<hsize_t, 2>;

int dimensions(std::uint64_t width) { return width > 1 ? 2 : 1; }

Handle creation_list(const Extent& chunk, int rank, Storage storage) {
  Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "create HDF5 dataset list");
  check_hdf5(H5Pset_chunk(list.get(), rank, chunk.data()), "set HDF5 chunk size");
  check_hdf5(H5Pset_fill_time(list.get(), H5D_FILL_TIME_NEVER), "set HDF5 fill time");
  if (storage == Storage::final) {
    check_hdf5(H5Pset_shuffle(list.get()), "set HDF5 shuffle filter");
    check_hdf5(H5Pset_deflate(list.get(), compression_level), "set HDF5 deflate filter");
  }
  return list;
}

/// Without a chunk cache an append writes its rows at once and nothing but its rows.
Handle uncached_access_list() {
  Handle list(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, "create HDF5 dataset access list");
  check_hdf5(H5Pset_chunk_cache(list.get(), 1, 0, 1.0), "switch HDF5 chunk cache off");
  return list;
}

}  // namespace

Dataset Dataset::create(hid_t file, std::string_view name, hid_t type, Shape shape, Storage storage) {
  Dataset dataset;
  dataset.width_ = shape.width;
  dataset.chunk_rows_ = std::max<std::uint64_t>(1, shape.chunk_bytes / (H5Tget_size(type) * shape.width));
  const int rank = dimensions(shape.width);
  const Extent size{0, shape.width};
  const Extent limit{H5S_UNLIMITED, shape.width};
  const Handle space(H5Screate_simple(rank, size.data(), limit.data()), H5Sclose, "create HDF5 space");
  const Handle creation = creation_list({dataset.chunk_rows_, shape.width}, rank, storage);
  const Handle access = uncached_access_list();
  dataset.dataset_ =
      Handle(H5Dcreate2(file, std::string(name).c_str(), type, space.get(), H5P_DEFAULT, creation.get(), access.get()),
             H5Dclose, fmt::format("create dataset /{}", name));
  return dataset;
}

Dataset Dataset::open(hid_t file, std::string_view name) {
  Dataset dataset;
  const std::string action = fmt::format("open dataset /{}", name);
  dataset.dataset_ = Handle(H5Dopen2(file, std::string(name).c_str(), H5P_DEFAULT), H5Dclose, action);
  const Handle space(H5Dget_space(dataset.dataset_.get()), H5Sclose, action);
  Extent size{0, 1};
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank != 1 && rank != 2) throw environment_error(fmt::format("cannot {}: it has {} dimensions", action, rank));
  check_hdf5(H5Sget_simple_extent_dims(space.get(), size.data(), nullptr), action);
  dataset.rows_ = size[0];
  dataset.width_ = size[1];
  const Handle list(H5Dget_create_plist(dataset.dataset_.get()), H5Pclose, action);
  Extent chunk{1, 1};
  if (H5Pget_layout(list.get()) == H5D_CHUNKED) check_hdf5(H5Pget_chunk(list.get(), rank, chunk.data()), action);
  dataset.chunk_rows_ = chunk[0];
  return dataset;
}

Handle Dataset::select(std::uint64_t first, std::uint64_t rows) const {
  Handle space(H5Dget_space(dataset_.get()), H5Sclose, "get HDF5 space");
  const Extent start{first, 0};
  const Extent count{rows, width_};
  check_hdf5(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
             "select rows");
  return space;
}

void Dataset::append(hid_t memory_type, const void* data, std::uint64_t rows) {
  if (rows == 0) return;
  const Extent size{rows_ + rows, width_};
  check_hdf5(H5Dset_extent(dataset_.get(), size.data()), "extend the file");
  const Handle target = select(rows_, rows);
  const Extent count{rows, width_};
  const Handle memory(H5Screate_simple(dimensions(width_), count.data(), nullptr), H5Sclose, "create HDF5 space");
  check_hdf5(H5Dwrite(dataset_.get(), memory_type, memory.get(), target.get(), H5P_DEFAULT, data), "write rows");
  rows_ += rows;
}

void Dataset::read(hid_t memory_type, void* data, std::uint64_t first, std::uint64_t rows) const {
  if (rows == 0) return;
  if (first > rows_ || rows > rows_ - first) {
    throw environment_error(fmt::format("rows {} to {} of {} do not exist", first, first + rows - 1, rows_));
  }
  const Handle source = select(first, rows);
  const Extent count{rows, width_};
  const Handle memory(H5Screate_simple(dimensions(width_), count.data(), nullptr), H5Sclose, "create HDF5 space");
  check_hdf5(H5Dread(dataset_.get(), memory_type, memory.get(), source.get(), H5P_DEFAULT, data), "read rows");
}

Handle Dataset::type() const { return {H5Dget_type(dataset_.get()), H5Tclose, "get HDF5 type"}; }

void Dataset::close() { dataset_.close("close a dataset"); }

void write_attribute(hid_t object, const std::string& name, std::string_view text) {
  const Handle type = text_type(std::max<std::size_t>(1, text.size()));
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "create HDF5 space");
  const Handle attribute(H5Acreate2(object, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         "create attribute " + name);
  check_hdf5(H5Awrite(attribute.get(), type.get(), std::string(text).c_str()), "write attribute " + name);
}

}  // namespace assay::results
