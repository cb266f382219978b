// Every JSON example of the five older protocol documents against our tables: testdata/README.md
// says how a row of the table reads.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "acp/json/codec.h"
#include "acp/schema/message.h"
#include "acp/schema/registry.h"
#include "acp/schema/v1.h"

namespace acp {
namespace {

constexpr const char* table_path = "acp/schema/testdata/examples.jsonl";
constexpr std::array<std::string_view, 5> documents = {"000", "001", "002", "003", "004"};
constexpr int contradictions = 35;  // rows of the list that `row` points into

std::vector<Json> read_table() {
  std::ifstream in(table_path, std::ios::binary);
  EXPECT_TRUE(in) << table_path << ": cannot be read; tests run in the project's root";
  std::vector<Json> rows;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    json::Result<Json> row = Json::parse(line);
    if (!row || !row->is_object())
      ADD_FAILURE() << table_path << ":" << number << ": a row is one JSON object on one line";
    else
      rows.push_back(std::move(*row));
  }
  return rows;
}

std::string string_in(JsonView object, std::string_view key) {
  return object[key].as_string().value_or("");
}

std::string name_of(const Json& row) {
  return "document " + string_in(row, "doc") + ", line " + std::string(row["line"].text()) + " (" +
         string_in(row, "what") + ")";
}

bool only_has(JsonView object, std::initializer_list<std::string_view> keys) {
  for (const auto& [key, value] : object.members())
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) return false;
  return true;
}

bool is_answer(JsonView message) { return message["method"].absent(); }

// What is wrong with the row itself; empty if nothing is. A mistyped key must not turn a check off.
std::string mistake_in(const Json& row) {
  if (!only_has(row, {"doc", "line", "what", "form", "skip", "json", "type", "message", "method",
                      "ok", "refused", "strict", "note"}))
    return "has a member that rows do not have";
  if (std::find(documents.begin(), documents.end(), string_in(row, "doc")) == documents.end())
    return "doc: expected 000 to 004";
  if (row["line"].as_int64().value_or(0) < 1) return "line: expected a line number";
  if (string_in(row, "what").empty()) return "what: expected a few words";
  const std::string form = string_in(row, "form");
  if (!row["form"].absent() && form != "literal" && form != "shape" && form != "completed")
    return "form: expected literal, shape or completed";
  if (row["skip"].as_bool() == true) {
    if (!row["json"].absent() || string_in(row, "note").empty())
      return "skip: expected a note, and no json";
    return "";
  }
  if (row["json"].absent()) return "json: expected the example";
  const bool message = row["message"].as_bool() == true;
  if (message == row["type"].is_string()) return "expected either message or type";
  if (!message && find_definition(v1::definitions(), string_in(row, "type")) == nullptr)
    return "type: no such definition";
  if (row["method"].absent() == (message && is_answer(row["json"])))
    return "method: expected for answers, and for nothing else";
  if (const std::string method = string_in(row, "method");
      !method.empty() && !method.starts_with('_'))
    if (find_method(v1::methods(), method, false) == nullptr) return "method: no such request";
  if ((row["ok"].as_bool() == true) == row["refused"].is_object())
    return "expected either ok or refused";
  if (const JsonView refused = row["refused"]; !refused.absent()) {
    if (!only_has(refused, {"path", "row", "why"}) || !refused["path"].is_string())
      return "refused: expected a path";
    const std::int64_t number = refused["row"].as_int64().value_or(0);
    const bool known = number >= 1 && number <= contradictions;
    if (known == !string_in(refused, "why").empty()) return "refused: expected either row or why";
  }
  if (const JsonView strict = row["strict"]; !strict.absent())
    if (!only_has(strict, {"path"}) || !strict["path"].is_string())
      return "strict: expected a path";
  return "";
}

std::optional<json::DecodeFault> check_type(std::string_view text, const json::Type& type,
                                            const json::Options& options) {
  const std::unique_ptr<std::max_align_t[]> room(
      new std::max_align_t[type.size / sizeof(std::max_align_t) + 1]);
  type.life->construct(room.get());
  auto error = json::decode(text, type, room.get(), options);
  type.life->destroy(room.get());
  return error;
}

std::optional<json::DecodeFault> check(const Json& row, bool strict) {
  json::Options options;
  options.strict = strict;
  const JsonView example = row["json"];
  if (row["message"].absent())
    return check_type(example.text(),
                      *find_definition(v1::definitions(), string_in(row, "type"))->type, options);
  MessageChecker checker(1);
  if (is_answer(example) && row["method"].is_string() && !example["id"].absent()) {
    // The request first; what its params lack is not our business here.
    const Json request = Json::object(
        {{"jsonrpc", "2.0"}, {"id", Json(example["id"])}, {"method", Json(row["method"])}});
    checker.check(request.text(), {});
  }
  return checker.check(example.text(), options);
}

// Nothing: accepted.
using Verdict = std::optional<std::string>;

Verdict verdict(const std::optional<json::DecodeFault>& error) {
  return error ? Verdict(error->path) : std::nullopt;
}
std::string describe(const Verdict& verdict) {
  return verdict ? "refused at \"" + *verdict + "\"" : "accepted";
}

Verdict expected(const Json& row, bool strict) {
  if (strict && !row["strict"].absent()) return string_in(row["strict"], "path");
  return row["refused"].absent() ? Verdict() : string_in(row["refused"], "path");
}

TEST(Examples, AreAcceptedOrRefusedAsTheTableSays) {
  for (const Json& row : read_table()) {
    if (const std::string mistake = mistake_in(row); !mistake.empty()) {
      ADD_FAILURE() << name_of(row) << ": the row is wrong: " << mistake;
      continue;
    }
    if (!row["skip"].absent()) continue;
    for (const bool strict : {false, true}) {
      const std::optional<json::DecodeFault> error = check(row, strict);
      if (verdict(error) == expected(row, strict)) continue;
      ADD_FAILURE() << name_of(row) << (strict ? ", strict" : "") << ": expected to be "
                    << describe(expected(row, strict)) << ", was " << describe(verdict(error))
                    << (error ? " (" + error->message() + ")" : "") << "\n  " << row["json"].text();
    }
  }
}

TEST(Examples, StandInTheOrderOfTheDocuments) {
  std::tuple<std::string, std::int64_t> last;
  for (const Json& row : read_table()) {
    std::tuple<std::string, std::int64_t> here{string_in(row, "doc"),
                                               row["line"].as_int64().value_or(0)};
    EXPECT_LE(last, here) << name_of(row) << " belongs further up";
    last = std::move(here);
  }
}

TEST(Examples, ComeFromEveryDocument) {
  const std::vector<Json> rows = read_table();
  for (const std::string_view document : documents) {
    int examples = 0, completed = 0, accepted = 0, refused = 0, strict = 0, skipped = 0;
    for (const Json& row : rows) {
      if (string_in(row, "doc") != document) continue;
      ++(string_in(row, "form") == "completed" ? completed : examples);
      if (!row["skip"].absent())
        ++skipped;
      else if (!row["refused"].absent())
        ++refused;
      else if (++accepted; !row["strict"].absent())
        ++strict;
    }
    std::cout << "document " << document << ": " << examples << " examples and " << completed
              << " completed ones: " << accepted << " accepted (" << strict
              << " of them refused in strict mode), " << refused << " refused, " << skipped
              << " skipped\n";
    EXPECT_GT(accepted + refused, 0) << "document " << document << " has no rows";
  }
}

}  // namespace
}  // namespace acp
