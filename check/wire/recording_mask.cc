#include "check/wire/recording_mask.h"

#include <cstring>

#include "acp/json/writer.h"

namespace acp::check {
namespace {

// Without case, hyphens and underscores.
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != '-' && c != '_') out += lower(c);
  return out;
}

bool is_pairs(std::string_view key) { return key == "env" || key == "headers"; }

class Masker {
 public:
  explicit Masker(json::Writer& out) : out_(out) {}

  void value(std::string_view key, JsonView value) {
    if (value.is_object()) return object(value);
    if (value.is_array()) return array(key, value);
    if (value.is_string()) return string(key, value);
    out_.put(value.text());
  }

  // All texts below, whatever their names.
  void everything(JsonView value, std::string_view but_for) {
    if (value.is_object()) {
      members(value, [&](const std::string& key, JsonView each) {
        key == but_for ? out_.put(each.text()) : everything(each, "");
      });
    } else if (value.is_array()) {
      elements(value, [&](JsonView each) { everything(each, ""); });
    } else if (value.is_string()) {
      out_.string(mask_text);
    } else {
      out_.put(value.text());
    }
  }

 private:
  template <class F>
  void members(JsonView value, F each) {
    bool first = true;
    out_.put('{');
    for (const auto& [key, member] : value.members()) {
      if (!first) out_.put(',');
      first = false;
      out_.string(key);
      out_.put(':');
      each(key, member);
    }
    out_.put('}');
  }
  template <class F>
  void elements(JsonView value, F each) {
    bool first = true;
    out_.put('[');
    for (const JsonView element : value.elements()) {
      if (!first) out_.put(',');
      first = false;
      each(element);
    }
    out_.put(']');
  }

  void object(JsonView object) {
    const bool authenticates = object["method"].as_string() == "authenticate" ||
                               object["method"].as_string() == "auth/login";
    members(object, [&](const std::string& key, JsonView member) {
      if (authenticates && key == "params")
        everything(member, "methodId");
      else if (is_pairs(key) && (member.is_array() || member.is_object()))
        pairs(member);
      else if (names_secret(key) && (member.is_string() || member.is_object() || member.is_array()))
        everything(member, "");
      else
        value(key, member);
    });
  }

  void string(std::string_view key, JsonView value) {
    const std::string_view text = value.text();
    if (key != "url" && !has_marks(text)) return out_.put(text);
    out_.string(masked_words(*value.as_string()));
  }

  // [{name, value}], or a map.
  void pairs(JsonView value) {
    if (value.is_object()) return everything(value, "");
    elements(value, [&](JsonView each) { everything(each, "name"); });
  }

  void array(std::string_view key, JsonView value) {
    if (key != "args") return elements(value, [&](JsonView each) { this->value("", each); });
    std::vector<std::string> words;
    for (const JsonView each : value.elements()) {
      if (!each.is_string()) return out_.put(value.text());
      words.push_back(*each.as_string());
    }
    words = masked_arguments(std::move(words));
    std::size_t i = 0;
    elements(value, [&](JsonView) { out_.string(words[i++]); });
  }

  json::Writer& out_;
};

// `curl -u name:password`
bool takes_login(std::string_view option) {
  return option == "-u" || option == "--user" || option == "--proxy-user";
}

}  // namespace

bool names_secret(std::string_view name) {
  // Most names have nothing of any of these words.
  bool possible = false;
  for (std::size_t i = 0; i < name.size() && !possible; ++i) {
    const char c = lower(name[i]);
    const char next = i + 1 < name.size() ? lower(name[i + 1]) : ' ';
    possible = c == 'k' || c == 'w' || c == 'z' || c == 'b' || (c == 'c' && next == 'r') ||
               (c == 's' && next == 'p') || c == '_' || c == '-';
  }
  if (!possible) return false;
  const std::string word = plain(name);
  for (const std::string_view part :
       {"apikey", "secret", "password", "passwd", "passphrase", "authorization", "credential",
        "privatekey", "accesskey", "cookie", "bearer"})
    if (word.find(part) != std::string::npos) return true;
  // Those of models are counted.
  return word.ends_with("token") || word.ends_with("pwd");
}

bool may_hold_secrets(std::string_view json) {
  if (has_marks(json)) return true;
  const char* at = json.data();
  const char* const end = at + json.size();
  while ((at = static_cast<const char*>(
              std::memchr(at, ':', static_cast<std::size_t>(end - at)))) != nullptr) {
    const char* const colon = at++;
    if (colon == json.data() || colon[-1] != '"') continue;
    const char* begin = colon - 1;
    while (begin != json.data() && begin[-1] != '"') --begin;
    const std::string_view key(begin, static_cast<std::size_t>(colon - 1 - begin));
    // Escapes could spell anything.
    if (key.find('\\') != key.npos) return true;
    switch (key.size()) {
      case 2:
      case 4:
        if (key == "args") return true;
        continue;  // id, type, text, name, path, kind
      case 3:
        if (key == "env" || key == "url" || key == "pwd") return true;
        continue;
      default:
        if (key == "method") {
          if (json.substr(static_cast<std::size_t>(at - json.data()), 6).find("auth") !=
              std::string_view::npos)
            return true;
        } else if (key == "headers" || names_secret(key)) {
          return true;
        }
    }
  }
  return false;
}

Json masked(JsonView message) {
  json::Writer out;
  Masker(out).value("", message);
  return Json::from_valid(out.str());
}

std::vector<std::string> masked_arguments(std::vector<std::string> arguments) {
  bool next = false;
  for (std::string& word : arguments) {
    const bool option = word.starts_with('-') && word.size() > 1;
    if (next && !option) {
      word = mask_text;
      next = false;
      continue;
    }
    const std::size_t equals = word.find('=');
    const bool secret = names_secret(std::string_view(word).substr(0, equals));
    next = option && (secret || takes_login(word)) && equals == std::string::npos;
    if (secret && equals != std::string::npos && word.find_first_of(" :") > equals)
      word = word.substr(0, equals + 1).append(mask_text);
    else
      word = masked_text(word);
  }
  return arguments;
}

}  // namespace acp::check
