# Build options. Optional parts: AUTO (use when found), ON (required), OFF.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# The GPU plug-in holds its own copy of the libraries it uses.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
# An installed binary finds the MPI and HDF5 it was linked with, wherever the package is unpacked.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, RelWithDebInfo" FORCE)
endif()

option(ASSAY_TESTS "Build the tests" ON)
option(ASSAY_BENCH "Build bench/: comparisons against bare loops, run by hand" OFF)
set(ASSAY_SANITIZE "" CACHE STRING "Sanitizers, such as address,undefined")

set(ASSAY_PARTS CUDA NCCL UCX IBVERBS IO_URING)
foreach(part IN LISTS ASSAY_PARTS)
  set(ASSAY_${part} AUTO CACHE STRING "${part}: AUTO, ON or OFF")
  set_property(CACHE ASSAY_${part} PROPERTY STRINGS AUTO ON OFF)
endforeach()

if(ASSAY_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${ASSAY_SANITIZE}>
    $<$<COMPILE_LANGUAGE:C,CXX>:-fno-omit-frame-pointer> $<$<COMPILE_LANGUAGE:C,CXX>:-fno-sanitize-recover=undefined>)
  add_link_options(-fsanitize=${ASSAY_SANITIZE})
endif()

find_program(ASSAY_CCACHE ccache)
if(ASSAY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${ASSAY_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ASSAY_CCACHE})
endif()
