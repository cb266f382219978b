#include "acp/role/versions/kept.h"

namespace acp::detail::versions {

namespace {
// Stands among what is kept where there was a `_meta` without members.
constexpr std::string_view empty_meta = "_meta";

bool is_empty_object(const Json& meta) {
  return meta.is_object() && meta.members().begin() == meta.members().end();
}
}  // namespace

void keep(Json& meta, std::string_view name, const Json& value) {
  if (value.absent()) return;
  Json kept = Json(meta[kept_key]);
  if (is_empty_object(meta)) kept.set(empty_meta, Json::object({}));
  kept.set(name, value);
  meta.set(kept_key, kept);
}

Json take_kept(Json& meta) {
  Json kept = Json(meta[kept_key]);
  if (!kept.is_object()) return {};
  Json rest = Json(kept[empty_meta]);
  for (const auto& [key, value] : meta.members())
    if (key != kept_key) rest.set(key, Json(value));
  meta = std::move(rest);
  return kept;
}

}  // namespace acp::detail::versions
