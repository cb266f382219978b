#include "settings/secrets.h"

#include <algorithm>

#include "settings/environment.h"

namespace acp::settings {

namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// It stands inside of JSON, too.
std::string plain(std::string text) {
  for (char& c : text) {
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '-' || c == '_' || c == '.';
    if (!good) c = '_';
  }
  return text;
}

// As JSON writes it.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

const std::vector<std::string>& well_known_key_variables() {
  static const std::vector<std::string> names = {
      // Providers.
      "AI_GATEWAY_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "AWS_BEARER_TOKEN_BEDROCK",
      "AZURE_API_KEY", "AZURE_OPENAI_API_KEY", "CEREBRAS_API_KEY", "CODESTRAL_API_KEY",
      "COHERE_API_KEY", "DASHSCOPE_API_KEY", "DEEPSEEK_API_KEY", "FIREWORKS_API_KEY",
      "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GROQ_API_KEY",
      "KIMI_API_KEY", "MISTRAL_API_KEY", "MOONSHOT_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY",
      "PERPLEXITY_API_KEY", "TOGETHER_API_KEY", "XAI_API_KEY", "ZAI_API_KEY",
      // Agents.
      "AMP_API_KEY", "AUGMENT_SESSION_AUTH", "CLAUDE_CODE_OAUTH_TOKEN", "CLINE_API_KEY",
      "CODEX_API_KEY", "COPILOT_GITHUB_TOKEN", "CURSOR_API_KEY", "FACTORY_API_KEY", "KILO_API_KEY",
      "OPENCODE_API_KEY",
      // Servers of agents.
      "ACP_TOKEN"};
  return names;
}

std::vector<std::string> secret_variables(const Settings& settings) {
  std::vector<std::string> names = well_known_key_variables();
  for (const auto& [name, provider] : settings.providers)
    if (!provider.key_variable.empty()) names.push_back(provider.key_variable);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<io::EnvironmentEdit> without_variables(const std::vector<std::string>& names) {
  std::vector<io::EnvironmentEdit> edits;
  edits.reserve(names.size());
  for (const std::string& name : names) edits.push_back({name, {}});
  return edits;
}

std::string expanded(const std::string& text, const std::string& where,
                     const Environment& environment) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = text.find("${", at);
    const std::size_t end = start == std::string::npos ? start : text.find('}', start);
    if (end == std::string::npos) return out + text.substr(at);
    out += text.substr(at, start - at);
    const std::string name = text.substr(start + 2, end - start - 2);
    const auto value = environment(name);
    if (!value) throw SettingsError(where + ": there is no variable " + name);
    out += *value;
    at = end + 1;
  }
  return out;
}

Secrets::Secrets(const Settings& settings, const Keys& keys, const Environment& environment) {
  const std::vector<std::string> names = secret_variables(settings);
  for (const auto& [name, provider] : settings.providers)
    if (const auto value = environment(provider.key_variable))
      add(*value, "[key of " + plain(name) + "]");
  for (const std::string& name : names)
    if (const auto value = environment(name)) add(*value, "[key in " + plain(name) + "]");
  for (const auto& [provider, key] : keys.stored()) add(key, "[key of " + plain(provider) + "]");
  std::stable_sort(values_.begin(), values_.end(), [](const Value& one, const Value& other) {
    return one.text.size() > other.text.size();
  });
  for (const auto& [name, value] : all_variables())
    if (std::binary_search(names.begin(), names.end(), name) || in(value))
      variables_.push_back(name);
}

void Secrets::add(const std::string& value, const std::string& shown) {
  const std::string key = trimmed(value);
  if (key.size() < shortest) return;
  for (const std::string& text : {key, escaped(key)})
    if (std::none_of(values_.begin(), values_.end(),
                     [&](const Value& known) { return known.text == text; }))
      values_.push_back({text, shown});
}

void Secrets::show_as(const std::string& text) {
  for (Value& value : values_) value.shown = text;
}

bool Secrets::in(std::string_view text) const {
  return std::any_of(values_.begin(), values_.end(), [&](const Value& value) {
    return text.find(value.text) != std::string_view::npos;
  });
}

std::size_t Secrets::replace(std::string_view text, bool last, std::string& out) const {
  bool first[256] = {};
  for (const Value& value : values_) first[static_cast<unsigned char>(value.text[0])] = true;
  std::size_t at = 0, written = 0;
  while (at < text.size()) {
    if (!first[static_cast<unsigned char>(text[at])]) {
      ++at;
      continue;
    }
    const std::string_view rest = text.substr(at);
    const Value* found = nullptr;
    bool waits = false;
    for (const Value& value : values_) {
      if (rest.starts_with(value.text)) {
        found = &value;
        break;  // the longest
      }
      if (!last && rest.size() < value.text.size() && value.text.starts_with(rest)) {
        waits = true;
        break;
      }
    }
    if (waits) break;
    if (found == nullptr) {
      ++at;
      continue;
    }
    out.append(text.substr(written, at - written));
    out += found->shown;
    // Past it: what was written is not looked at again.
    at += found->text.size();
    written = at;
  }
  out.append(text.substr(written, at - written));
  return at;
}

std::string Secrets::masked(std::string_view text) const {
  std::string out(text);
  mask(out);
  return out;
}

bool Secrets::mask(std::string& text) const {
  bool changed = in(text);
  if (changed) {
    std::string out;
    replace(text, true, out);
    text = std::move(out);
  }
  for (const Value& value : values_) {
    const std::string_view key = value.text;
    const std::size_t least = std::max(shortest, (key.size() + 1) / 2);
    for (std::size_t size = std::min(key.size() - 1, text.size()); size >= least; --size)
      if (text.starts_with(key.substr(key.size() - size))) {
        text.replace(0, size, value.shown);
        changed = true;
        break;
      }
    for (std::size_t size = std::min(key.size() - 1, text.size()); size >= least; --size)
      if (text.ends_with(key.substr(0, size))) {
        text.replace(text.size() - size, size, value.shown);
        changed = true;
        break;
      }
  }
  return changed;
}

std::string Secrets::lost(std::string_view before, std::string_view now) const {
  for (const Value& value : values_)
    if (now.find(value.shown) != std::string_view::npos &&
        before.find(value.text) != std::string_view::npos &&
        now.find(value.text) == std::string_view::npos)
      return value.shown;
  return {};
}

std::string SecretStream::add(std::string_view piece) {
  if (secrets_.empty()) return std::string(piece);
  held_ += piece;
  std::string out;
  held_.erase(0, secrets_.replace(held_, false, out));
  return out;
}

std::string SecretStream::finish() {
  std::string out = secrets_.masked(held_);
  held_.clear();
  return out;
}

}  // namespace acp::settings
