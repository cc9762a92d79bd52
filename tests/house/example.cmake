# The example of CONTRIBUTING.md, cut out of the page and built into a second copy of the program.
set(page ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
file(READ ${page} text)
if(NOT text MATCHES "```cpp\n([^`]+)```")
  message(FATAL_ERROR "CONTRIBUTING.md holds no example case")
endif()
set(example ${CMAKE_CURRENT_BINARY_DIR}/example_case.cpp)
file(CONFIGURE OUTPUT ${example} CONTENT "${CMAKE_MATCH_1}" @ONLY)

get_target_property(program_folder assay SOURCE_DIR)
get_target_property(program_sources assay SOURCES)
get_target_property(program_libraries assay LINK_LIBRARIES)
list(TRANSFORM program_sources PREPEND ${program_folder}/ REGEX "^[^/$]")
add_executable(assay_example ${program_sources} ${example})
target_link_libraries(assay_example PRIVATE ${program_libraries} assay_warnings)

add_test(NAME house.example_case COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/example_test.sh $<TARGET_FILE:assay_example>)
set_tests_properties(house.example_case PROPERTIES ENVIRONMENT "${ASSAY_MPI_ENVIRONMENT}")
