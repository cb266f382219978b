// The tables of the store, and the migration of older versions.
#pragma once

#include <span>

#include "coder/store/database.h"

namespace acp::coder {

// The first step makes the tables in an empty database, each further one migrates to the version
// that is its number, counted from 1. Never change a released step: add one. It must not change
// what the version before uses: such a program may be running with the same store.
std::span<const char* const> schema_steps();

// The version of a database, 0 if it is empty. Writes nothing. Throws StoreError for one of a newer
// version, or of another program.
std::int64_t schema_version(Database& database,
                            std::span<const char* const> steps = schema_steps());
// Runs all steps that the database has not seen, or none of them.
void migrate(Database& database, std::span<const char* const> steps = schema_steps());

}  // namespace acp::coder
