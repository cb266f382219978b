// Parse, typed decode and typed encode of three messages, beside simdjson, nlohmann-json and
// RapidJSON.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "acp/json/codec.h"
#include "acp/json/reader.h"
#include "bench/emit.h"
#include "bench/extract.h"
#include "bench/measure.h"
#include "bench/message.h"
#include "bench/messages.h"

namespace bench {
namespace {

constexpr auto rapidjson_flags = rapidjson::kParseValidateEncodingFlag;

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "bench/json: %s\n", what.c_str());
  std::exit(1);
}

// Looks at every value, as on-demand parsing checks only what it is asked for.
std::size_t walk(simdjson::ondemand::value value) {
  switch (value.type()) {
    case simdjson::ondemand::json_type::object: {
      std::size_t sum = 0;
      for (auto field : value.get_object()) {
        sum += std::string_view(field.unescaped_key()).size();
        sum += walk(field.value());
      }
      return sum;
    }
    case simdjson::ondemand::json_type::array: {
      std::size_t sum = 0;
      for (auto element : value.get_array()) sum += walk(element.value());
      return sum;
    }
    case simdjson::ondemand::json_type::string:
      return std::string_view(value.get_string()).size();
    case simdjson::ondemand::json_type::number:
      return static_cast<std::size_t>(double(value.get_double()));
    case simdjson::ondemand::json_type::boolean:
      return bool(value.get_bool());
    default:
      return value.is_null();
  }
}

// One message: its text, and what the contenders keep between calls.
class Bench {
 public:
  Bench(std::string name, std::string text)
      : name_(std::move(name)),
        text_(std::move(text)),
        padded_(text_),
        hand_(6 * text_.size() + 1024) {
    auto decoded = acp::json::decode<Message>(text_);
    require(decoded.ok(), name_ + ": " + (decoded.ok() ? "" : decoded.error().message()));
    message_ = std::move(*decoded);
    tree_ = tree_of(message_);
  }

  void run(int rounds) {
    std::printf("\n%s, %zu bytes\n", name_.c_str(), text_.size());
    check();
    auto parses = parsers();
    auto decodes = decoders();
    auto encodes = encoders();
    // All in one, so that one group can be compared with another.
    std::vector<Contender> all;
    for (auto* group : {&parses, &decodes, &encodes})
      all.insert(all.end(), group->begin(), group->end());
    measure(all, rounds);
    const Contender& dom = all[1];
    print("parse", {all.begin(), all.begin() + 5}, dom, "simdjson DOM");
    print("typed decode", {all.begin() + 5, all.begin() + 9}, dom, "simdjson DOM");
    goal(all[5], dom, 1.5, "simdjson's DOM parse");
    print("typed encode", {all.begin() + 9, all.end()}, all[10], "by hand");
    goal(all[9], all[10], 2.0, "the line written by hand");
  }

 private:
  Message decode_simdjson() { return message_of(SimdjsonValue{simdjson_.parse(padded_)}); }
  Message decode_nlohmann() const {
    const nlohmann::json tree = nlohmann::json::parse(text_);
    return message_of(NlohmannValue{tree});
  }
  Message decode_rapidjson() const {
    rapidjson::Document tree;
    tree.Parse<rapidjson_flags>(text_.data(), text_.size());
    return message_of(RapidjsonValue{tree});
  }

  // A contender that does less than the others is no contender.
  void check() {
    acp::json::Reader reader(text_);
    require(reader.skip() && reader.finish(), "ours does not parse");
    const auto same = [&](const Message& other, const char* who) {
      require(other.jsonrpc == message_.jsonrpc && other.method == message_.method &&
                  other.params == message_.params,
              name_ + ": " + who + " differs");
    };
    same(decode_simdjson(), "simdjson");
    same(decode_nlohmann(), "nlohmann");
    same(decode_rapidjson(), "RapidJSON");
    const std::string ours = acp::json::encode(message_);
    require(ours == hand_.write(message_), name_ + ": the hand-written line differs");
    require(ours == rapidjson_.write(message_), name_ + ": RapidJSON's line differs");
    same(*acp::json::decode<Message>(ours), "our line");
    same(*acp::json::decode<Message>(tree_.dump()), "nlohmann's line");
  }

  std::vector<Contender> parsers() {
    return {
        {"libacp Reader::skip",
         [this] {
           acp::json::Reader reader(text_);
           keep(reader.skip() && reader.finish());
         }},
        {"simdjson DOM", [this] { keep(simdjson_.parse(padded_).error()); }},
        {"simdjson on-demand, walked",
         [this] {
           auto document = ondemand_.iterate(padded_);
           keep(walk(document.get_value()));
         }},
        {"RapidJSON",
         [this] {
           rapidjson::Document tree;
           keep(tree.Parse<rapidjson_flags>(text_.data(), text_.size()).HasParseError());
         }},
        {"nlohmann", [this] { keep(nlohmann::json::parse(text_)); }},
    };
  }

  std::vector<Contender> decoders() {
    return {
        {"libacp decode", [this] { keep(acp::json::decode<Message>(text_)); }},
        {"simdjson DOM + by hand", [this] { keep(decode_simdjson()); }},
        {"RapidJSON + by hand", [this] { keep(decode_rapidjson()); }},
        {"nlohmann + by hand", [this] { keep(decode_nlohmann()); }},
    };
  }

  std::vector<Contender> encoders() {
    return {
        {"libacp write",
         [this] {
           out_.clear();
           acp::json::write(out_, message_);
           keep(out_.view());
         }},
        {"by hand into one buffer", [this] { keep(hand_.write(message_)); }},
        {"RapidJSON Writer", [this] { keep(rapidjson_.write(message_)); }},
        {"nlohmann, tree there: dump", [this] { keep(tree_.dump()); }},
        {"nlohmann, tree and dump", [this] { keep(tree_of(message_).dump()); }},
    };
  }

  void print(const char* group, const std::vector<Contender>& contenders, const Contender& base,
             const char* base_name) {
    std::printf("  %-28s %12s %10s   x %s\n", group, "ns", "MB/s", base_name);
    for (const Contender& contender : contenders) {
      const double ns = median(contender.ns);
      std::printf("    %-26s %12.0f %10.0f   %.2f\n", contender.name.c_str(), ns,
                  static_cast<double>(text_.size()) * 1e3 / ns, ratio(contender, base));
    }
  }
  static void goal(const Contender& ours, const Contender& base, double most, const char* what) {
    const double times = ratio(ours, base);
    std::printf("    goal: at most %.1f x %s: %s\n", most, what, times <= most ? "met" : "MISSED");
  }

  std::string name_;
  std::string text_;
  simdjson::padded_string padded_;
  simdjson::dom::parser simdjson_;
  simdjson::ondemand::parser ondemand_;
  HandEmitter hand_;
  RapidjsonEmitter rapidjson_;
  acp::json::Writer out_;
  Message message_;
  nlohmann::json tree_;
};

}  // namespace
}  // namespace bench

// bench/json [ROUNDS]
int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 41;
  std::printf("CPU time, medians of %d interleaved rounds; simdjson uses its %s kernel\n", rounds,
              simdjson::get_active_implementation()->name().c_str());
  bench::Bench("session/update with a chunk", bench::chunk()).run(rounds);
  bench::Bench("tool call", bench::tool_call()).run(rounds);
  bench::Bench("tool call, members in another order", bench::reordered_tool_call()).run(rounds);
  bench::Bench("diff", bench::diff()).run(rounds);
}
