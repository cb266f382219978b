// Splits a stream of bytes into messages.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace acp::rpc {

// How messages are separated.
enum class Framing {
  newline,         // one message a line: what ACP prescribes
  content_length,  // `Content-Length: N`, a blank line, N bytes, as LSP has it
  automatic,       // found out from the first bytes; for the side that receives
                   // first
};

// The framing by its name on a command line: "newline", "content-length", "auto".
std::optional<Framing> framing_from(std::string_view name);
// "newline", "content-length", "auto"
constexpr const char* to_string(Framing framing) {
  switch (framing) {
    case Framing::newline:
      return "newline";
    case Framing::content_length:
      return "content-length";
    case Framing::automatic:
      return "auto";
  }
  return "";
}

// Cuts a stream of bytes into frames. Reads each byte once, however the stream is split.
class FrameReader {
 public:
  // One message, or why there is none.
  struct Framed {
    // Whether there is a message.
    enum class Kind {
      message,    // the text between the frame's marks, never empty
      too_large,  // longer than the limit, and skipped; text is its beginning
      no_header,  // a line where a Content-Length header should be
    };
    Kind kind = Kind::message;
    std::string_view text;  // until the next call
    std::size_t size = 0;   // of the whole message
  };

  FrameReader(Framing framing, std::size_t limit) : framing_(framing), limit_(limit) {}

  // Takes more bytes: call next() until it has nothing before feeding again. The bytes must stay
  // until then.
  void feed(std::string_view bytes) { chunk_ = bytes; }
  std::optional<Framed> next();
  // Ends the input: a last line without its end counts.
  std::optional<Framed> end();

  // Size of the frame that is not complete yet.
  std::size_t partial_bytes() const { return partial_done_ ? 0 : partial_size_; }
  // The framing that was chosen or found out; `automatic` until then.
  Framing framing() const { return framing_; }

 private:
  static constexpr std::size_t kept_of_large = 1024;

  void detect();
  std::optional<Framed> next_line();
  std::optional<Framed> next_body();
  std::optional<Framed> line_frame(std::string_view line, std::size_t size);
  // Takes a line off the input, without its end. Returns false if it is not complete yet.
  bool take_line(std::string_view& line, std::size_t& size);

  Framing framing_;
  std::size_t limit_;
  std::string_view chunk_;
  std::string partial_;              // of a frame that began in earlier chunks
  bool partial_done_ = false;        // partial_ was given out and can go
  std::size_t partial_size_ = 0;     // more than partial_ holds once it is too large
  bool partial_cr_ = false;          // its last byte so far is a carriage return
  std::optional<std::size_t> body_;  // the announced length, after the header
  std::optional<std::size_t> announced_;
  bool headers_begun_ = false;
};
// "message", "too_large", "no_header"
constexpr const char* to_string(FrameReader::Framed::Kind value) {
  switch (value) {
    case FrameReader::Framed::Kind::message:
      return "message";
    case FrameReader::Framed::Kind::too_large:
      return "too_large";
    case FrameReader::Framed::Kind::no_header:
      return "no_header";
  }
  return "";
}

}  // namespace acp::rpc
