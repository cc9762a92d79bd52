# Every target of the project links assay_warnings; nothing else sets warnings.
add_library(assay_warnings INTERFACE)
set(warnings -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  -Wold-style-cast -Wcast-qual -Wextra-semi)
target_compile_options(assay_warnings INTERFACE "$<$<COMPILE_LANGUAGE:C,CXX>:${warnings}>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>")
target_include_directories(assay_warnings INTERFACE ${PROJECT_SOURCE_DIR})
# GCC 12 warns wrongly about "text" + std::string (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(assay_warnings INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-Wno-restrict>)
endif()
