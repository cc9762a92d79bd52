# assay_add_cases(<target> SOURCES ... LIBS ...): the files of ./cases/ and further sources as an OBJECT library, since a
# static one would drop their registrations. A new file is picked up by the next build.
function(assay_add_cases target)
  cmake_parse_arguments(A "" "" "SOURCES;LIBS" ${ARGN})
  file(GLOB cases CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cases/*.cpp)
  add_library(${target} OBJECT ${cases} ${A_SOURCES})
  target_link_libraries(${target} PUBLIC ${A_LIBS} PRIVATE assay_warnings)
endfunction()
