#include "check/wire/recording.h"

#include <charconv>
#include <istream>

#include "acp/json/writer.h"
#include "check/wire/recording_mask.h"

namespace acp::check {
namespace {

void put_number(std::string& out, std::int64_t value) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void put_string(std::string& out, std::string_view text) {
  json::Writer writer(text.size() + 16);
  writer.string(text);
  out.append(writer.view());
}

void put_start(std::string& out, std::int64_t time) {
  out += "{\"time\":";
  put_number(out, time);
}

void put_place(std::string& out, Side from, std::size_t frame) {
  out += ",\"from\":\"";
  out += side_name(from);
  out += "\",\"frame\":";
  put_number(out, static_cast<std::int64_t>(frame));
}

void put_strings(std::string& out, const char* name, const std::vector<std::string>& words) {
  out += ",\"";
  out += name;
  out += "\":[";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += ',';
    put_string(out, words[i]);
  }
  out += ']';
}

std::vector<std::string> strings_of(JsonView array) {
  std::vector<std::string> words;
  for (const JsonView each : array.elements()) words.push_back(each.as_string().value_or(""));
  return words;
}

// With each \\u00XX that stands for a plain character as that character: a key may be written so.
std::string without_plain_escapes(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 3, "u00") == 0 && i + 4 < text.size() && out.ends_with('\\')) {
      const int high = digit(text[i + 3]), low = digit(text[i + 4]);
      const int c = high < 0 || low < 0 ? 0 : 16 * high + low;
      if (c >= 0x20 && c < 0x7F && c != '"' && c != '\\') {
        while (out.ends_with('\\')) out.pop_back();
        out += static_cast<char>(c);
        i += 4;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

}  // namespace

std::string_view side_name(Side side) { return side == Side::client ? "client" : "agent"; }

void Recorder::finish(std::string& out, std::size_t start) const {
  out += "}\n";
  if (!mask_ || !known_) return;
  std::string line = out.substr(start);
  if (!known_(line)) {
    if (line.find("\\u00") == std::string::npos) return;
    line = without_plain_escapes(line);
    if (!known_(line)) return;
  }
  out.resize(start);
  out += line;
}

void Recorder::header(std::string& out, const RecordedHeader& header) const {
  const std::size_t start = out.size();
  out += "{\"recording\":1,\"time\":";
  put_number(out, header.time);
  out += ",\"program\":";
  put_string(out, header.program);
  put_strings(out, "command", mask_ ? masked_arguments(header.command) : header.command);
  out += mask_ ? ",\"masked\":true" : ",\"masked\":false";
  if (!header.faults.empty()) {
    put_strings(out, "faults", header.faults);
    out += ",\"seed\":" + std::to_string(header.seed);
  }
  finish(out, start);
}

void Recorder::frame(std::string& out, std::size_t number, const WireFrame& frame,
                     const json::Result<Json>& message) const {
  const std::size_t start = out.size();
  out += "{\"n\":";
  put_number(out, static_cast<std::int64_t>(number));
  out += ",\"time\":";
  put_number(out, frame.time);
  out += frame.from == Side::client ? ",\"from\":\"client\"" : ",\"from\":\"agent\"";
  // What stands here must be one line of valid JSON.
  if (message) {
    out += ",\"frame\":";
    if (mask_ && may_hold_secrets(message->text()))
      out += masked(*message).text();
    else
      out += message->text();
  } else {
    out += ",\"text\":";
    put_string(out, mask_ ? masked_text(frame.text) : std::string(frame.text));
  }
  finish(out, start);
}

void Recorder::violation(std::string& out, std::int64_t time, const Violation& violation) const {
  const std::size_t start = out.size();
  put_start(out, time);
  out += ",\"violation\":";
  put_string(out, violation.requirement->id);
  out += ",\"level\":";
  put_string(out, to_string(violation.requirement->level));
  put_place(out, violation.requirement->side, violation.frame);
  out += ",\"message\":";
  put_string(out, mask_ ? masked_words(violation.message) : violation.message);
  finish(out, start);
}

void Recorder::fault(std::string& out, const RecordedFault& fault) const {
  const std::size_t start = out.size();
  put_start(out, fault.time);
  out += ",\"fault\":";
  put_string(out, fault.kind);
  put_place(out, fault.from, fault.frame);
  out += ",\"detail\":";
  put_string(out, mask_ ? masked_words(fault.detail) : fault.detail);
  finish(out, start);
}

void Recorder::end(std::string& out, const RecordedEnd& end) const {
  const std::size_t start = out.size();
  put_start(out, end.time);
  out += ",\"end\":";
  put_string(out, end.reason);
  finish(out, start);
}

Recording read_recording(std::istream& in) {
  Recording recording;
  std::size_t number = 0, frames = 0;
  bool headed = false;
  for (std::string text; std::getline(in, text);) {
    ++number;
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto problem = [&](const std::string& what) {
      recording.problems.push_back("line " + std::to_string(number) + ": " + what);
    };
    const json::Result<Json> parsed = Json::parse(text);
    if (!parsed) {
      // The last line of a recording that is under way, or was broken off, may be half there.
      problem(in.eof() ? "the last line is incomplete" : "not JSON: " + parsed.error().message());
      continue;
    }
    const Json& line = *parsed;
    const std::int64_t time = line["time"].as_int64().value_or(0);
    if (!line["recording"].absent()) {
      if (line["recording"].as_int64() != 1) problem("a recording of a version that is not known");
      headed = true;
      recording.header = {time,
                          line["program"].as_string().value_or(""),
                          strings_of(line["command"]),
                          line["masked"].as_bool().value_or(true),
                          strings_of(line["faults"]),
                          line["seed"].as_uint64().value_or(0)};
      continue;
    }
    if (!line["end"].absent()) {
      recording.entries.emplace_back(RecordedEnd{time, line["end"].as_string().value_or("")});
      continue;
    }
    const auto from = line["from"].as_string();
    if (from != "client" && from != "agent") {
      problem("\"from\" is neither \"client\" nor \"agent\"");
      continue;
    }
    const Side side = from == "client" ? Side::client : Side::agent;
    const auto place = static_cast<std::size_t>(line["frame"].as_uint64().value_or(0));
    if (const auto id = line["violation"].as_string()) {
      recording.entries.emplace_back(
          RecordedViolation{time, *id, line["level"].as_string().value_or(""), side, place,
                            line["message"].as_string().value_or("")});
    } else if (const auto kind = line["fault"].as_string()) {
      recording.entries.emplace_back(
          RecordedFault{time, *kind, side, place, line["detail"].as_string().value_or("")});
    } else if (const auto raw = line["text"].as_string()) {
      recording.entries.emplace_back(RecordedFrame{frames++, time, side, false, *raw, number});
    } else if (!line["frame"].absent()) {
      recording.entries.emplace_back(
          RecordedFrame{frames++, time, side, true, std::string(line["frame"].text()), number});
    } else {
      problem("neither a frame nor a violation nor a fault");
    }
  }
  if (!headed && number > 0) recording.problems.emplace_back("the header is missing");
  return recording;
}

}  // namespace acp::check
