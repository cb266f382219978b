// Questions to the person: one of several, or a form. Models without a terminal.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "acp/schema/v1.h"
#include "chat/choice.h"
#include "chat/render/text/styled.h"
#include "chat/tui/input/editor.h"
#include "chat/tui/input/keys.h"
#include "chat/tui/pager.h"

namespace acp::chat {

class Dialog {
 public:
  virtual ~Dialog() = default;

  struct Shown {
    Lines lines = {};
    // Where the cursor stands, if it is not in the input line.
    std::optional<std::pair<std::size_t, std::size_t>> cursor = {};
  };
  // Draws the dialog, in so many rows if possible.
  virtual Shown shown(std::size_t columns, std::size_t rows) const = 0;
  // Both return true if that was the answer.
  virtual bool key(const Key& key) = 0;
  virtual bool line(const std::string& text) = 0;  // where there are no keys but whole lines
  // Takes a character. Returns text that was not an answer, and belongs into the input line.
  virtual std::string typed(const std::string& text) = 0;
  // A hint about the keys that answer it.
  virtual std::string hint() const { return {}; }
  // Closes it on Esc: the person does not want to answer.
  virtual void dismiss() = 0;
  // Whether typed text has ended it.
  virtual bool closed() const { return false; }
  // Closes a view of it on Esc, if one is open; returns true then.
  virtual bool close_view() { return false; }
  // Whether it only shows something: Esc closes it, and stops nothing.
  virtual bool is_view() const { return false; }

  // An agent waits for it: keys meant for the input line must not answer it.
  bool urgent = false;
  // The person has opened it: Esc closes it, and another one takes its place.
  bool of_person = false;
  // The tool call that it is about, by its id; empty: none.
  std::string about_call = {};
  // The id of who asked; 0: nobody in particular.
  std::size_t id = 0;
};

class ChoiceDialog : public Dialog {
 public:
  Lines head = {};          // above the choices
  bool short_head = false;  // each of its lines is one row
  // Between them, in a frame with a title, at a width: `v` shows what has no room there.
  Line title = {};
  std::function<Lines(std::size_t columns)> body = {};
  std::vector<Choice> choices = {};
  // The choice that Enter takes. None: Enter takes nothing.
  std::optional<std::size_t> selected = {};
  std::function<void(std::size_t)> chosen = {};
  std::function<void()> dismissed = {};

  Shown shown(std::size_t columns, std::size_t rows) const override;
  bool key(const Key& key) override;
  bool line(const std::string& text) override;
  std::string typed(const std::string& text) override;
  std::string hint() const override;
  void dismiss() override;
  bool close_view() override;
  bool is_view() const override { return viewing_; }

 private:
  // Finds a choice by its number or its letter.
  std::optional<std::size_t> meant_by(const std::string& text) const;

  // Draw a choice on one row, cut if necessary, and on all rows that it needs.
  Line choice_begin(std::size_t index) const;
  Line choice_row(std::size_t index, std::size_t columns) const;
  Lines choice_rows(std::size_t index, std::size_t columns) const;
  // All of them on one row; of the one that is selected, all there is to say.
  Line choices_row(std::size_t columns) const;
  // What is asked, above one row of answers.
  Lines body_in_few_rows(std::size_t columns, std::size_t rows) const;
  void view_all();
  const Lines& body_at(std::size_t columns) const;

  std::string typed_;        // what has selected the one that is, or opened the view
  std::string not_offered_;  // the letter of an answer that is not there
  // Of the body. It is made once for each width.
  mutable Lines made_;
  mutable std::size_t made_at_ = 0;
  mutable bool hidden_ = false;  // nothing of the body has room
  bool viewed_ = false;
  // The view of all of it.
  bool viewing_ = false;
  mutable Pager pager_;
};

// What is longer than the screen.
class PagerDialog : public Dialog {
 public:
  // `print` gets all lines if the person asks for it.
  PagerDialog(Line title, Lines lines, std::function<void(const Lines&)> print)
      : title_(std::move(title)), lines_(std::move(lines)), print_(std::move(print)) {
    of_person = true;
  }

  Shown shown(std::size_t columns, std::size_t rows) const override;
  bool key(const Key& key) override;
  bool line(const std::string& text) override;
  std::string typed(const std::string& text) override;
  std::string hint() const override;
  void dismiss() override {}
  bool closed() const override { return closed_; }
  bool is_view() const override { return true; }

 private:
  const Line title_;
  const Lines lines_;
  const std::function<void(const Lines&)> print_;
  mutable Pager pager_;
  bool closed_ = false;
};

// Asks field by field. Its values are valid for the schema.
class FormDialog : public Dialog {
 public:
  using Values = Map<v1::ElicitationContentValue>;

  FormDialog(std::string agent, std::string message, v1::ElicitationSchema schema,
             std::function<void(std::optional<Values>)> done);

  Shown shown(std::size_t columns, std::size_t rows) const override;
  bool key(const Key& key) override;
  bool line(const std::string& text) override;
  std::string typed(const std::string& text) override;
  void dismiss() override;

 private:
  bool enter(const std::string& text);
  // Parses a value; nothing if it is left out. Throws std::invalid_argument.
  std::optional<v1::ElicitationContentValue> read(const std::string& text) const;
  bool required(const std::string& name) const;

  std::string agent_, message_;
  v1::ElicitationSchema schema_;
  std::function<void(std::optional<Values>)> done_;
  std::size_t field_ = 0;
  Values values_;
  Editor editor_;
  std::string error_;
};

}  // namespace acp::chat
