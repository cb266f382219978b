// A fork holds on to every page of its parent: what the parent changes later exists twice.
#pragma once

#pragma GCC visibility push(hidden)  // see process_tree_linux.h
namespace acp::io {

// Not under a sanitizer, which keeps its own state there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool can_release_host_memory = false;
#elif defined(__has_feature)
constexpr bool can_release_host_memory = !__has_feature(address_sanitizer) &&
                                         !__has_feature(thread_sanitizer) &&
                                         !__has_feature(memory_sanitizer);
#else
constexpr bool can_release_host_memory = true;
#endif

// In a fork, gives back the large anonymous blocks of the parent's heap, and its shared mappings.
// After that only code that calls nothing but syscall() can run: see syscalls_linux.h.
void release_host_memory();

}  // namespace acp::io
#pragma GCC visibility pop
