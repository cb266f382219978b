# How our targets are declared. A call whose option is off does nothing, so that a folder's
# CMakeLists.txt lists everything it holds without conditions.

# What every target of ours has in common.
function(acp_target name)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic $<$<BOOL:${ACP_WERROR}>:-Werror>)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
    ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
endfunction()

# acp_unity(target...): with ACP_UNITY, the files of a folder are compiled as one: they read their headers once,
# and make the copies of the schema's types once. Not for the library: a program that links it statically gets
# no more of it than the files whose functions it calls.
function(acp_unity)
  if(NOT ACP_UNITY)
    return()
  endif()
  foreach(name IN LISTS ARGN)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    get_target_property(home ${name} SOURCE_DIR)
    get_target_property(sources ${name} SOURCES)
    foreach(source IN LISTS sources)
      cmake_path(GET source PARENT_PATH folder)
      string(REPLACE "/" "_" group "${name}/${folder}")
      set_source_files_properties(${home}/${source} TARGET_DIRECTORY ${name}
                                  PROPERTIES UNITY_GROUP ${group})
    endforeach()
  endforeach()
endfunction()

# The tests of the library (of acp/mcp, which waits for servers, only in the long run), where memory is
# handled by hand: `./test` runs these under the
# address and undefined sanitizers, `./test --long` all. The label and the target are both core.
function(acp_core_test name)
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/(acp|fuzz)(/|$)"
     AND NOT CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/acp/mcp(/|$)")
    set_property(GLOBAL APPEND PROPERTY ACP_CORE_TESTS ${name})
    set_tests_properties(${name} PROPERTIES LABELS core)
  endif()
endfunction()

# What most tests include, read once. Only with ACP_UNITY: another build shows that each file includes what it needs.
function(acp_test_headers name)
  if(NOT ACP_UNITY)
    return()
  endif()
  if(NOT TARGET acp_test_headers)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_headers.cc CONTENT "")
    add_library(acp_test_headers OBJECT ${PROJECT_BINARY_DIR}/test_headers.cc)
    acp_target(acp_test_headers)
    target_compile_options(acp_test_headers PRIVATE ${ACP_TEST_FLAGS})
    target_link_libraries(acp_test_headers PRIVATE acp::acp GTest::gtest_main)
    target_precompile_headers(acp_test_headers PRIVATE
      <filesystem> <fstream> <thread> <gtest/gtest.h>
      ${PROJECT_SOURCE_DIR}/acp/agent.h ${PROJECT_SOURCE_DIR}/acp/client.h
      ${PROJECT_SOURCE_DIR}/acp/json/codec.h ${PROJECT_SOURCE_DIR}/acp/schema/v1.h)
  endif()
  target_precompile_headers(${name} REUSE_FROM acp_test_headers)
endfunction()

# acp_test(name source...): a GoogleTest program and its entry in ctest. It runs in the project's
# root, where testdata and node_modules are found. ACP_TEST_FLAGS are for its own files: without
# optimisation they compile in half the time.
function(acp_test name)
  if(NOT ACP_TESTS)
    return()
  endif()
  add_executable(${name} ${ARGN})
  acp_target(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE acp::acp GTest::gtest_main)
  target_compile_options(${name} PRIVATE ${ACP_TEST_FLAGS})
  acp_test_headers(${name})
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  # A program without a single test is a mistake, not a success.
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT GTEST_BRIEF=1
    FAIL_REGULAR_EXPRESSION "0 tests from 0 test suites ran")
  acp_core_test(${name})
endfunction()

# acp_bench(name source...): a Google Benchmark program, beside the libraries it is measured against.
function(acp_bench name)
  if(NOT ACP_BENCH)
    return()
  endif()
  add_executable(${name} ${ARGN})
  acp_target(${name})
  target_include_directories(${name} SYSTEM PRIVATE ${RAPIDJSON_INCLUDE_DIRS})
  target_link_libraries(${name} PRIVATE acp::acp benchmark::benchmark_main
                                        nlohmann_json::nlohmann_json simdjson::simdjson)
endfunction()

# acp_fuzz(name source...): a libFuzzer target, seeded by fuzz/corpus/<name>/. Without ACP_FUZZ it
# becomes a test that feeds it each of those files once, under any compiler: an input that once
# found something stays found.
function(acp_fuzz name)
  if(ACP_FUZZ)
    add_executable(${name} ${ARGN})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  elseif(ACP_TESTS)
    add_executable(${name} ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/replay.cc)
    add_test(NAME ${name} COMMAND ${name} ${PROJECT_SOURCE_DIR}/fuzz/corpus/${name})
    acp_core_test(${name})
  else()
    return()
  endif()
  acp_target(${name})
  target_link_libraries(${name} PRIVATE acp::acp)
  if(NOT ACP_FUZZ)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  endif()
endfunction()

# acp_own_runtime(name): the C++ runtime is linked into the program, which takes a quarter off its start.
# Only for programs that use no C++ library but ours: two runtimes in a process do not mix. What they do not
# call of it is left out.
function(acp_own_runtime name)
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize" AND NOT BUILD_SHARED_LIBS)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc -Wl,--gc-sections)
  endif()
endfunction()

# acp_example(name source...): an example, in build/bin/examples/.
function(acp_example name)
  add_executable(${name} ${ARGN})
  acp_target(${name})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/examples)
  target_link_libraries(${name} PRIVATE acp::acp)
endfunction()

# acp_public_headers(LIST): all headers that are installed.
function(acp_public_headers list)
  foreach(library acp acp_mcp acp_remote acp_workspace)
    if(TARGET ${library})
      get_target_property(headers ${library} HEADER_SET)
      list(APPEND all ${headers})
    endif()
  endforeach()
  set(${list} ${all} PARENT_SCOPE)
endfunction()
