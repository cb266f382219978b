// A line that names a version and a type, then a JSON text: decoded as that type, in both modes.
// What is accepted must be written as something that reads back as the same.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "acp/json/codec.h"
#include "acp/schema/message.h"
#include "acp/schema/registry.h"
#include "acp/schema/v1.h"
#include "acp/schema/v2.h"

namespace {

using acp::Definition;
using acp::json::Type;

void require(bool ok, const char* what, const char* type) {
  if (ok) return;
  std::fprintf(stderr, "decode_fuzz: %s: %s\n", type, what);
  std::abort();
}

struct Value {
  explicit Value(const Type& t)
      : type(t), room(new std::max_align_t[t.size / sizeof(std::max_align_t) + 1]) {
    type.life->construct(room.get());
  }
  ~Value() { type.life->destroy(room.get()); }
  bool read(std::string_view text, const acp::json::Options& options = {}) {
    return !acp::json::decode(text, type, room.get(), options);
  }
  std::string write() const {
    acp::json::Writer out;
    acp::json::write(out, type, room.get());
    return out.str();
  }
  const Type& type;
  std::unique_ptr<std::max_align_t[]> room;
};

// "v1 ContentBlock"; a name that is none stands for some type all the same.
const Definition& definition(std::string_view line) {
  const auto all = line.starts_with("v2") ? acp::v2::definitions() : acp::v1::definitions();
  const std::string_view name = line.substr(std::min<std::size_t>(line.size(), 3));
  if (const Definition* found = acp::find_definition(all, name)) return *found;
  std::size_t hash = 0;
  for (char c : name) hash = hash * 31 + static_cast<unsigned char>(c);
  return all[hash % all.size()];
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t newline = input.find('\n');
  if (newline == input.npos) return 0;
  const std::string_view line = input.substr(0, newline), text = input.substr(newline + 1);

  if (line == "message") {
    for (const int protocol : {1, 2}) {
      acp::MessageChecker checker(protocol);
      std::string written;
      if (!checker.check(text, {}, &written))
        require(!acp::MessageChecker(protocol).check(written, {}),
                "a message that does not read back", "message");
    }
    return 0;
  }
  const Definition& chosen = definition(line);
  const Type& type = *chosen.type;
  Value first(type), strict(type), watched(type);
  const bool ok = first.read(text);
  const bool strictly = strict.read(text, {.strict = true});
  require(ok || !strictly, "strict accepts what the default refuses", chosen.name);
  std::size_t reports = 0;
  acp::json::Options options;
  options.report = [&](const acp::json::DecodeReport&) { ++reports; };
  require(watched.read(text, options) == ok, "a hook changes the verdict", chosen.name);
  if (!ok) return 0;
  require(acp::Json::parse(text).ok(), "no JSON, but accepted", chosen.name);
  require(strictly == (reports == 0), "strict refuses what is not reported, or the reverse",
          chosen.name);
  require(acp::json::equal(type, first.room.get(), watched.room.get()), "a hook changes the value",
          chosen.name);
  const std::string written = first.write();
  Value second(type);
  require(second.read(written), "what is written does not read back", chosen.name);
  require(acp::json::equal(type, first.room.get(), second.room.get()),
          "it reads back as something else", chosen.name);
  require(second.write() == written, "it is written in another way the second time", chosen.name);
  return 0;
}
