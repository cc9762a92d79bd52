# What was configured, printed at the end, so that nobody has to guess what the binary will hold.
function(assay_report)
  string(APPEND text "assay ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}, "
    "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  if(ASSAY_SANITIZE)
    string(APPEND text ", sanitizers ${ASSAY_SANITIZE}")
  endif()
  string(APPEND text "\n  tests: ${ASSAY_TESTS}, bench: ${ASSAY_BENCH}\n  required:"
    "\n    MPI       ${MPI_C_COMPILER} (MPI standard ${MPI_C_VERSION})"
    "\n    HDF5      ${HDF5_VERSION}"
    "\n    hwloc     ${HWLOC_VERSION}"
    "\n    fmt       ${fmt_VERSION}"
    "\n    CLI11     ${CLI11_VERSION}"
    "\n    toml++    ${TOMLPP_VERSION}"
    "\n    json      ${nlohmann_json_VERSION}"
    "\n    benchmark ${benchmark_VERSION}"
    "\n  optional (ASSAY_<PART>=AUTO, ON or OFF):")
  foreach(part IN LISTS ASSAY_PARTS)
    string(SUBSTRING "${part}         " 0 9 padded)
    if(ASSAY_HAVE_${part})
      string(APPEND text "\n    ${padded} built in: ${ASSAY_WHY_${part}}")
    else()
      string(APPEND text "\n    ${padded} absent: ${ASSAY_WHY_${part}}")
    endif()
  endforeach()
  message(STATUS "${text}")
endfunction()
assay_report()
