// Any bytes as JSON: what is accepted must be valid, stay the same when read again, and bear
// looking at.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "acp/json/json.h"
#include "acp/json/reader.h"

#ifdef ACP_FUZZ_SIMDJSON
#include <simdjson.h>
#endif

namespace {

using acp::Json;
using acp::JsonView;

void require(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "json_fuzz: %s\n", what);
  std::abort();
}

// Looks at everything, and builds it again from what was seen.
Json rebuilt(JsonView value) {
  if (value.is_object()) {
    Json out = Json::object();
    for (const auto& [key, member] : value.members()) out.set(key, rebuilt(member));
    return out;
  }
  if (value.is_array()) {
    Json out = Json::array();
    for (JsonView element : value.elements()) out.append(rebuilt(element));
    return out;
  }
  if (value.is_string()) return Json(*value.as_string());
  if (value.is_boolean()) return Json(*value.as_bool());
  if (value.is_null()) return Json(nullptr);
  if (const auto whole = value.as_int64()) return Json(*whole);
  if (const auto large = value.as_uint64()) return Json(*large);
  if (const auto real = value.as_double()) return Json(*real);
  return Json(value);  // a number beyond all of them
}

#ifdef ACP_FUZZ_SIMDJSON
// simdjson refuses two things that we take on purpose: half a surrogate pair, and numbers beyond a
// double.
void compare(std::string_view text, bool ours) {
  static simdjson::dom::parser parser;
  simdjson::dom::element element;
  const auto error = parser.parse(text.data(), text.size(), true).get(element);
  if (error == simdjson::SUCCESS) {
    require(ours, "simdjson accepts what we refuse");
  } else if (ours) {
    require(error == simdjson::STRING_ERROR || error == simdjson::NUMBER_ERROR,
            "we accept what simdjson refuses");
    if (error == simdjson::STRING_ERROR)
      require(text.find("\\ud") != text.npos || text.find("\\uD") != text.npos,
              "we accept a string it refuses");
  }
}
#endif

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const acp::json::Limits limits{.depth = 200};
  acp::json::Reader reader(text, limits);
  const bool valid = reader.skip() && reader.finish();
  const auto parsed = Json::parse(text, limits);
  require(valid == parsed.ok(), "skip and parse disagree");
  if (!parsed) {
    require(!parsed.error().message().empty() && parsed.error().offset <= size,
            "an error without place or reason");
    // What a person or a peer reads must itself be text.
    require(Json::parse(Json(parsed.error().message()).text()).ok(), "a message that is no text");
  }
#ifdef ACP_FUZZ_SIMDJSON
  if (valid || reader.error().kind != acp::json::DecodeFault::Kind::limit) compare(text, valid);
#endif
  if (!parsed) return 0;
  const Json& value = *parsed;
  const auto again = Json::parse(value.text(), limits);
  require(again.ok() && again->text() == value.text(), "the kept text reads as something else");
  const Json copy = rebuilt(value);
  require(copy == value && value == copy, "looking at it gives something else");
  return 0;
}
