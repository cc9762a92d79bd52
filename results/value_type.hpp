#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/error.hpp"
#include "results/hdf5.hpp"
#include "results/schema.hpp"

namespace assay::results {

/// Private to results/: one value of a row as bytes of the file.

/// Fixed-length UTF-8, padded with zeros.
[[nodiscard]] Handle text_type(std::size_t bytes);

/// Writes `value` into `bytes` at `target`, padded with zeros. Too long: free text is cut at a character and ends in
/// an ellipsis; an identifier throws Error(environment) naming `column`.
void store_text(std::string_view column, std::string_view value, Text kind, char* target, std::size_t bytes);

template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <class T>
[[nodiscard]] hid_t native_type() {
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
  if constexpr (std::is_same_v<T, std::int32_t>) return H5T_NATIVE_INT32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_NATIVE_UINT64;
  if constexpr (std::is_same_v<T, std::uint32_t>) return H5T_NATIVE_UINT32;
  if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_NATIVE_UINT8;
}

/// Calls visit(T Row::*) with the field's member.
template <class Row, class Visit>
decltype(auto) visit_member(const Field<Row>& field, Visit&& visit) {
  return std::visit([&](auto member) { return visit(member); }, field.member);
}

/// HDF5 type of a field as the schema says.
template <class Row>
[[nodiscard]] Handle field_type(const Field<Row>& field) {
  return visit_member(field, [&]<class T>(T Row::*) {
    if constexpr (std::is_same_v<T, std::string>) {
      return text_type(field.text_bytes);
    } else {
      return Handle(H5Tcopy(native_type<Stored<T>>()), H5Tclose, "copy HDF5 type");
    }
  });
}

template <class Row>
void store(const Field<Row>& field, const Row& row, char* target, std::size_t bytes) {
  visit_member(field, [&]<class T>(T Row::*member) {
    if constexpr (std::is_same_v<T, std::string>) {
      store_text(field.name, row.*member, field.text, target, bytes);
    } else {
      const Stored<T> value = row.*member;
      std::memcpy(target, &value, sizeof(value));
    }
  });
}

template <class Row>
void load(const Field<Row>& field, Row& row, const char* source, std::size_t bytes) {
  visit_member(field, [&]<class T>(T Row::*member) {
    if constexpr (std::is_same_v<T, std::string>) {
      (row.*member).assign(source, strnlen(source, bytes));
    } else {
      Stored<T> value{};
      std::memcpy(&value, source, sizeof(value));
      row.*member = static_cast<T>(value);
    }
  });
}

/// The type to read a column (or attribute) of the file with: its own text width, our width of numbers.
/// Throws Error(bad_input) naming `column` when the file holds another kind of value there.
template <class Row>
[[nodiscard]] Handle reading_type(const Field<Row>& field, Handle in_file) {
  Handle wanted = field_type(field);
  const H5T_class_t kind = H5Tget_class(in_file.get());
  const bool text = kind == H5T_STRING && H5Tis_variable_str(in_file.get()) == 0;
  if (kind != H5Tget_class(wanted.get()) || (kind == H5T_STRING && !text)) {
    throw bad_input("column " + std::string(field.name) + " is not of type " + type_name(field));
  }
  return text ? std::move(in_file) : std::move(wanted);
}

}  // namespace assay::results
