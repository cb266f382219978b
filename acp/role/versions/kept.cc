#include "acp/role/versions/kept.h"

namespace acp::detail::versions {

void keep(Json& meta, std::string_view name, const Json& value) {
  if (value.absent()) return;
  Json kept = Json(meta[kept_key]);
  kept.set(name, value);
  meta.set(kept_key, kept);
}

Json take_kept(Json& meta) {
  Json kept = Json(meta[kept_key]);
  if (!kept.is_object()) return {};
  Json rest;
  for (const auto& [key, value] : meta.members())
    if (key != kept_key) rest.set(key, Json(value));
  meta = std::move(rest);
  return kept;
}

}  // namespace acp::detail::versions
