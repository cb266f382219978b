#include "cli/commands/schema_check.h"

#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>

#include "acp/io/printable.h"
#include "acp/json/codec.h"
#include "acp/schema/message.h"
#include "acp/schema/v1.h"
#include "acp/schema/v2.h"
#include "cli/did_you_mean.h"
#include "cli/input_file.h"

namespace acp::cli {

Tables::Tables(int protocol)
    : definitions(protocol == 2 ? v2::definitions() : v1::definitions()),
      methods(protocol == 2 ? v2::methods() : v1::methods()) {}

int complain(const std::string& what, const std::string& hint) {
  std::cerr << "acp schema: " << what << "\n" << hint << "\n";
  return 2;
}

namespace {

json::Limits no_limit() { return {4096, static_cast<std::size_t>(-1)}; }

// Returns the message in a line of `acp tap`'s recording, or nothing if the line records something
// else. Any other line is returned as it is.
std::optional<std::string> recorded(const std::string& line) {
  const json::Result<Json> parsed = Json::parse(line, no_limit());
  if (!parsed || !(*parsed)["jsonrpc"].absent() || !(*parsed)["time"].as_int64()) return line;
  const Json& told = *parsed;
  for (const char* other : {"recording", "violation", "fault", "end"})
    if (!told[other].absent()) return std::nullopt;
  if (!told["from"].as_string()) return line;
  if (const auto text = told["text"].as_string()) return *text;  // was no JSON
  return told["frame"].is_object() ? std::string(told["frame"].text()) : line;
}

class Check {
 public:
  // With `named`, each result says of which file it is.
  Check(const SchemaCheckOptions& options, const json::Type* type, bool named)
      : options_(options), type_(type), named_(named), checker_(options.protocol) {
    decode_.strict = options.strict;
    decode_.report = [this](const json::DecodeReport& report) { note(report); };
  }

  // False if there was nothing to read.
  bool run(std::istream& in, const std::string& name) {
    name_ = name;
    line_ = 0;
    std::string line;
    while (std::getline(in, line)) {
      ++line_;
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      // One value may be spread over lines: if the first line is no JSON, perhaps the whole is.
      if (!started_ && !Json::parse(line, no_limit()) && run_whole(in, line)) break;
      started_ = true;
      one(line);
    }
    started_ = false;
    return !in.bad();
  }

  bool all_ok() const { return failed_ == 0; }
  bool checked_any() const { return checked_ > 0; }

 private:
  bool run_whole(std::istream& in, std::string& first) {
    std::ostringstream rest;
    rest << in.rdbuf();
    const std::string text = first + "\n" + rest.str();
    if (Json::parse(text, no_limit())) {
      one(text);
      return true;
    }
    std::istringstream lines(rest.str());
    one(first);
    std::string line;
    while (std::getline(lines, line)) {
      ++line_;
      if (line.find_first_not_of(" \t\r") != std::string::npos) one(line);
    }
    return true;
  }

  void one(const std::string& line) {
    const std::optional<std::string> message = type_ == nullptr ? recorded(line) : line;
    if (!message) return;
    const std::string& text = *message;
    ++checked_;
    std::string written;
    const std::optional<json::DecodeFault> error =
        type_ != nullptr ? as_type(text, written) : checker_.check(text, decode_, &written);
    Json out = Json::object({{"ok", !error}});
    if (named_) out.set("file", name_);
    out.set("line", line_);
    if (error) {
      ++failed_;
      // What is no JSON from its first letter on is perhaps no JSON at all.
      const bool nothing = error->kind == json::DecodeFault::Kind::syntax && error->offset == 0;
      out.set("path", error->path)
          .set("expected", nothing ? "a JSON value" : error->expected)
          .set("got", error->got);
      if (error->kind != json::DecodeFault::Kind::mismatch) out.set("offset", error->offset);
    } else if (options_.roundtrip) {
      out.set("value", Json::from_valid(written));
    }
    std::cout << io::printable_json(out.text()) << "\n" << std::flush;
  }

  std::optional<json::DecodeFault> as_type(const std::string& text, std::string& written) {
    const std::unique_ptr<std::max_align_t[]> room(
        new std::max_align_t[type_->size / sizeof(std::max_align_t) + 1]);
    type_->life->construct(room.get());
    auto error = json::decode(text, *type_, room.get(), decode_);
    if (!error) {
      json::Writer out;
      json::write(out, *type_, room.get());
      written = out.str();
    }
    type_->life->destroy(room.get());
    return error;
  }

  void note(const json::DecodeReport& report) {
    const char* what = report.what == json::DecodeReport::What::unknown_member ? "ignored"
                       : report.what == json::DecodeReport::What::unknown_tag  ? "kept"
                                                                               : "tolerated";
    const std::string path = report.path.empty() ? "the value" : report.path;
    const std::string told = name_ + ":" + std::to_string(line_) + ": " + path + ": " + what + " " +
                             report.got + ", where " + report.expected + " is expected";
    std::cerr << io::one_line(told, io::whole) + "\n";
  }

  const SchemaCheckOptions& options_;
  const json::Type* type_;
  bool named_;
  MessageChecker checker_;
  json::Options decode_;
  std::string name_;
  std::size_t line_ = 0;
  std::size_t checked_ = 0, failed_ = 0;
  bool started_ = false;
};

}  // namespace

int check_schema(const SchemaCheckOptions& options) {
  const Tables tables(options.protocol);
  std::vector<std::string> files = options.words;
  const json::Type* type = nullptr;
  if (!files.empty()) {
    if (const Definition* definition = find_definition(tables.definitions, files.front())) {
      type = definition->type;
      files.erase(files.begin());
    } else if (files.front() != "-" && !std::ifstream(files.front())) {
      std::vector<std::string> types;
      for (const Definition& each : tables.definitions) types.emplace_back(each.name);
      return complain("'" + files.front() + "' is neither a type of version " +
                          std::to_string(options.protocol) + " nor a file that can be read" +
                          did_you_mean(files.front(), types),
                      "Try 'acp schema list', or 'acp schema check --help'.");
    }
  }
  Check run(options, type, files.size() > 1);
  if (files.empty()) run.run(std::cin, "input");
  for (const std::string& file : files) {
    if (file == "-") {
      run.run(std::cin, "input");
      continue;
    }
    std::ifstream in(file, std::ios::binary);
    if (!in || !run.run(in, file))
      return complain(cannot_read(file), "Nothing after it was checked.");
  }
  if (!run.checked_any()) std::cerr << "acp schema: nothing was checked: there is no message\n";
  return run.checked_any() && run.all_ok() ? 0 : 1;
}

}  // namespace acp::cli
