# Library assay_build_info (header launcher/build_info.hpp): what this binary was built from. The git commit is read at
# every build, not at configure time; only one generated file is compiled again when it has changed.
set(ASSAY_PARTS_CODE "")
foreach(part IN LISTS ASSAY_PARTS)
  string(TOLOWER "${ASSAY_HAVE_${part}}" have)
  string(REPLACE "off" "false" have "${have}")
  string(REPLACE "on" "true" have "${have}")
  string(APPEND ASSAY_PARTS_CODE "    {\"${part}\", ${have}, \"${ASSAY_WHY_${part}}\"},\n")
endforeach()

set(generated ${PROJECT_BINARY_DIR}/generated/launcher)
# First pass: everything known now. @ASSAY_GIT_SHA@ stays for the second pass, at build time.
set(ASSAY_GIT_SHA "@ASSAY_GIT_SHA@")
configure_file(${PROJECT_SOURCE_DIR}/cmake/build_info.cpp.in ${generated}/build_info.cpp.in @ONLY)

add_custom_target(assay_git_sha
  COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DTEMPLATE=${generated}/build_info.cpp.in
          -DOUTPUT=${generated}/build_info.cpp -P ${PROJECT_SOURCE_DIR}/cmake/git_sha.cmake
  BYPRODUCTS ${generated}/build_info.cpp
  COMMENT "Reading the git commit")

add_library(assay_build_info STATIC ${PROJECT_SOURCE_DIR}/launcher/build_info.cpp ${generated}/build_info.cpp)
add_dependencies(assay_build_info assay_git_sha)
target_link_libraries(assay_build_info PUBLIC fmt::fmt PRIVATE assay_warnings)
target_include_directories(assay_build_info PUBLIC ${PROJECT_SOURCE_DIR})
