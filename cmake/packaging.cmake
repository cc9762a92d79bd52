# `cmake --build build/release --target package` makes a relocatable .tar.gz: binary, offers, manual. MPI and all other
# shared libraries stay the cluster's own, because they are what is under test.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/offers ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DATADIR}/assay)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/analysis/catalogue DESTINATION ${CMAKE_INSTALL_DATADIR}/assay)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME assay-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
include(CPack)
