# cmake --install: headers, library, program, and what find_package and pkg-config read.
include(CMakePackageConfigHelpers)

# The headers are those of each target's FILE_SET.
install(TARGETS acp EXPORT acpTargets FILE_SET HEADERS)
if(ACP_CLI)
  install(TARGETS acp_cli)
  # The manual page and the completions are what the program itself says.
  set(said ${PROJECT_BINARY_DIR}/said)
  foreach(pair "man|acp.1" "completions bash|acp.bash" "completions zsh|_acp" "completions fish|acp.fish")
    string(REPLACE "|" ";" pair ${pair})
    list(GET pair 0 words)
    list(GET pair 1 file)
    separate_arguments(words)
    add_custom_command(OUTPUT ${said}/${file} COMMAND ${CMAKE_COMMAND} -E make_directory ${said}
                       COMMAND acp_cli ${words} > ${said}/${file} DEPENDS acp_cli VERBATIM)
    list(APPEND said_files ${said}/${file})
  endforeach()
  add_custom_target(acp_said ALL DEPENDS ${said_files})
  # Help and manual name pages of docs/: they are installed, and the manual says where.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}
          FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png")
  install(CODE "
    execute_process(COMMAND \"$<TARGET_FILE:acp_cli>\" man
                            --docs \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\"
                    OUTPUT_FILE \"${said}/acp.1\" COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${said}/acp.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${said}/acp.bash RENAME acp
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${said}/_acp DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${said}/acp.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
if(TARGET acp_mcp)
  install(TARGETS acp_mcp EXPORT acpMcpTargets FILE_SET HEADERS)
endif()
if(TARGET acp_remote)
  install(TARGETS acp_remote EXPORT acpRemoteTargets FILE_SET HEADERS)
endif()
if(TARGET acp_workspace)
  install(TARGETS acp_workspace EXPORT acpWorkspaceTargets FILE_SET HEADERS)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/acp)
install(EXPORT acpTargets NAMESPACE acp:: DESTINATION ${package_dir})
if(TARGET acp_mcp)
  install(EXPORT acpMcpTargets NAMESPACE acp:: DESTINATION ${package_dir})
endif()
if(TARGET acp_remote)
  install(EXPORT acpRemoteTargets NAMESPACE acp:: DESTINATION ${package_dir})
endif()
if(TARGET acp_workspace)
  install(EXPORT acpWorkspaceTargets NAMESPACE acp:: DESTINATION ${package_dir})
endif()
configure_package_config_file(cmake/acpConfig.cmake.in acpConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break its users.
write_basic_package_version_file(acpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/acpConfig.cmake ${PROJECT_BINARY_DIR}/acpConfigVersion.cmake
        DESTINATION ${package_dir})

# acp.pc finds its prefix from where it lies, so that the installed tree can be moved.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${pc_dir})
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up /${pc_dir} /)
  set(pc_prefix "\${pcfiledir}/${up}")
  string(REGEX REPLACE "/$" "" pc_prefix ${pc_prefix})
endif()
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY "\${prefix}"
           OUTPUT_VARIABLE pc_libdir)
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_INCLUDEDIR BASE_DIRECTORY "\${prefix}"
           OUTPUT_VARIABLE pc_includedir)
configure_file(cmake/acp.pc.in acp.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/acp.pc DESTINATION ${pc_dir})
if(TARGET acp_mcp)
  configure_file(cmake/acp-mcp.pc.in acp-mcp.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/acp-mcp.pc DESTINATION ${pc_dir})
endif()
if(TARGET acp_remote)
  configure_file(cmake/acp-remote.pc.in acp-remote.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/acp-remote.pc DESTINATION ${pc_dir})
endif()
if(TARGET acp_workspace)
  configure_file(cmake/acp-workspace.pc.in acp-workspace.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/acp-workspace.pc DESTINATION ${pc_dir})
endif()

if(ACP_TESTS)
  acp_public_headers(public_headers)
  # The consumers get the flags of this build: one built for a sanitizer must be linked with it.
  add_test(NAME install_test
           COMMAND bash ${PROJECT_SOURCE_DIR}/scripts/install_test.sh
                   ${PROJECT_BINARY_DIR} ${CMAKE_INSTALL_LIBDIR} ${PROJECT_VERSION} ${public_headers})
  set_tests_properties(install_test PROPERTIES
    ENVIRONMENT "CMAKE=${CMAKE_COMMAND};CXX=${CMAKE_CXX_COMPILER};CXXFLAGS=${CMAKE_CXX_FLAGS}")
endif()
