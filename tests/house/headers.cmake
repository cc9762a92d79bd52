# Every header compiles alone. A header with a source file of its own name is included first there (source_form.py), so
# only the others need a generated source.
set(headers "")
foreach(folder core inventory kernels collectives storage results analysis launcher)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${folder}/*.hpp)
  list(APPEND headers ${found})
endforeach()

set(sources "")
foreach(header IN LISTS headers)
  string(REGEX REPLACE "\\.hpp$" ".cpp" own_source ${header})
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${own_source})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${own_source})
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
    list(APPEND sources ${source})
  endif()
endforeach()

# Headers of the CUDA side need the toolkit's.
set(cuda_headers "")
if(ASSAY_HAVE_CUDA)
  set(cuda_headers CUDA::cudart)
else()
  list(FILTER sources EXCLUDE REGEX "/headers/(kernels/cuda|collectives/nccl)/")
endif()

add_library(assay_headers OBJECT ${sources})
target_link_libraries(assay_headers PRIVATE assay_warnings fmt::fmt MPI::MPI_C CLI11::CLI11 nlohmann_json::nlohmann_json
  benchmark::benchmark PkgConfig::TOMLPP PkgConfig::HWLOC
  ${cuda_headers})
target_include_directories(assay_headers PRIVATE ${HDF5_C_INCLUDE_DIRS})
