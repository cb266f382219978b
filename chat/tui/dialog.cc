#include "chat/tui/dialog.h"

#include <algorithm>
#include <utility>

#include "acp/io/printable.h"
#include "chat/render/question_view.h"
#include "chat/render/text/text.h"
#include "chat/tui/number.h"

namespace acp::chat {

namespace {
// Of the answers to permission questions.
constexpr std::string_view usual_letters = "yspnro";
constexpr const char* not_here = " is not offered here";
}  // namespace

const Lines& ChoiceDialog::body_at(std::size_t columns) const {
  const std::size_t inside = columns > 4 ? columns - 2 : 2;
  if (made_at_ != inside) made_ = body(inside);
  made_at_ = inside;
  return made_;
}

Line ChoiceDialog::choice_begin(std::size_t index) const {
  Line line = line_of(selected == index ? "❯ " : "  ", {.bold = true, .colour = Colour::cyan});
  add(line, std::to_string(index + 1) + " ", {.colour = Colour::cyan});
  if (const char key = choices[index].key; key != 0)
    add(line, std::string(1, key) + " ", {.bold = true, .colour = Colour::cyan});
  return line;
}

Line ChoiceDialog::choice_row(std::size_t index, std::size_t columns) const {
  const Choice& choice = choices[index];
  Line line = choice_begin(index), end;
  if (!choice.meaning.empty()) add(end, "  (" + choice.meaning + ")", {.dim = true});
  const std::size_t used = width(line) + width(end);
  const Line label = line_of(choice.label, {.bold = selected == index});
  add(line, end.empty() ? label : fit(label, columns > used ? columns - used : 0));
  add(line, end);
  if (!choice.description.empty()) add(line, "  " + choice.description, {.dim = true});
  return fit(line, columns);
}

Lines ChoiceDialog::choice_rows(std::size_t index, std::size_t columns) const {
  const Choice& choice = choices[index];
  Line line = choice_begin(index);
  const std::size_t margin = width(line);
  add(line, choice.label, {.bold = selected == index});
  if (!choice.meaning.empty()) add(line, "  (" + choice.meaning + ")", {.dim = true});
  if (!choice.description.empty()) add(line, "  " + choice.description, {.dim = true});
  return wrap(line, columns, {.first = {}, .rest = line_of(std::string(margin, ' '))});
}

Line ChoiceDialog::choices_row(std::size_t columns) const {
  if (selected) return choice_row(*selected, columns);
  if (!not_offered_.empty()) return fit(line_of("  " + not_offered_ + not_here), columns);
  for (std::size_t room = columns;; --room) {
    Line line;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const char key = choices[i].key;
      add(line, "  " + (key != 0 ? std::string(1, key) : std::to_string(i + 1)),
          {.bold = true, .colour = Colour::cyan});
      if (room > 0) add(line, " " + fit(safe(choices[i].label), room));
    }
    if (room == 0 || width(line) <= columns) return fit(line, columns);
  }
}

Lines ChoiceDialog::body_in_few_rows(std::size_t columns, std::size_t rows) const {
  constexpr std::size_t least = 2;
  hidden_ = rows < least;
  if (!hidden_) {
    // The row that would close the frame is worth more with a line of it.
    Lines lines = framed(title, body_at(columns), columns, rows + 1, "v views all");
    lines.pop_back();
    return lines;
  }
  return {
      fit(line_of("  v shows what is asked", {.bold = true, .colour = Colour::yellow}), columns)};
}

Dialog::Shown ChoiceDialog::shown(std::size_t columns, std::size_t rows) const {
  Shown out;
  if (viewing_) {
    out.lines = pager_.page(title, body_at(columns), columns, rows);
    return out;
  }
  for (const Line& line : head) {
    Lines wrapped = wrap(line, columns, {.first = {}, .rest = line_of("  ")});
    if (short_head) wrapped = {fit(line, columns)};
    for (Line& row : wrapped) out.lines.push_back(std::move(row));
  }
  constexpr std::size_t frame = 4;  // rows at least: two of them say something
  constexpr std::size_t few_answers = 4;
  const std::size_t left = rows > out.lines.size() ? rows - out.lines.size() : 0;
  hidden_ = false;
  if (body && left < frame + std::min(choices.size(), few_answers)) {
    append(out.lines, body_in_few_rows(columns, left > 1 ? left - 1 : 0));
    out.lines.push_back(choices_row(columns));
    return out;
  }
  std::size_t fits = body ? (left > frame ? left - frame : 0) : 10;
  if (body && choices.size() > fits && fits > 0) --fits;  // for how many there are in all
  const std::size_t most = std::min<std::size_t>(std::max<std::size_t>(fits, 2), 10);
  const std::size_t at = selected.value_or(0);
  const std::size_t first =
      choices.size() <= most ? 0 : std::min(at >= most ? at - most + 1 : 0, choices.size() - most);
  Lines answers, short_answers;
  bool before_is_short = false;
  for (std::size_t i = first; i < std::min(choices.size(), first + most); ++i) {
    for (Line& row : choice_rows(i, columns)) answers.push_back(std::move(row));
    // Two that are short share a row.
    Line row = choice_row(i, columns);
    const bool is_short = choices[i].description.empty() && choices[i].meaning.empty();
    if (is_short && before_is_short && width(short_answers.back()) + width(row) <= columns)
      add(short_answers.back(), row);
    else
      short_answers.push_back(std::move(row));
    before_is_short = is_short;
  }
  // How far an answer reaches is worth a second row, but what it is about comes first.
  constexpr std::size_t frame_lines = 2;
  if (body && body_at(columns).size() + frame_lines + answers.size() > left)
    answers = std::move(short_answers);
  if (choices.size() > most)
    answers.push_back(
        line_of("  " + std::to_string(choices.size()) + " in all: ↑ and ↓", {.dim = true}));
  if (body)
    for (Line& row : framed(title, body_at(columns), columns,
                            left > answers.size() ? left - answers.size() : frame, "v views all"))
      out.lines.push_back(std::move(row));
  for (Line& row : answers) out.lines.push_back(std::move(row));
  return out;
}

bool ChoiceDialog::close_view() {
  typed_.clear();
  return std::exchange(viewing_, false);
}

void ChoiceDialog::view_all() {
  viewing_ = viewed_ = true;
  pager_.to_top();
}

bool ChoiceDialog::key(const Key& key) {
  typed_.clear();
  if (!key.is("Enter")) not_offered_.clear();
  if (viewing_) {
    pager_.scroll(key.text);
    return false;
  }
  if (key.is("Up") || key.is("Down")) {
    if (choices.empty()) return false;
    const std::size_t count = choices.size();
    if (!selected)
      selected = key.is("Up") ? count - 1 : 0;
    else
      selected = (*selected + (key.is("Up") ? count - 1 : 1)) % count;
  } else if (key.is("Backspace")) {
    selected.reset();
  } else if (key.is("Enter") && selected) {
    if (hidden_ && !viewed_ && choices[*selected].allows) {
      view_all();
      return false;
    }
    chosen(*selected);
    return true;
  }
  return false;
}

std::optional<std::size_t> ChoiceDialog::meant_by(const std::string& text) const {
  if (const auto number = number_of(text); number && *number <= choices.size()) return *number - 1;
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (text.size() == 1 && choices[i].key == text[0]) return i;
  return {};
}

std::string ChoiceDialog::typed(const std::string& text) {
  const std::string all = typed_ + text;
  if (viewing_) {
    typed_.clear();
    if (pager_.scroll(text)) return "";
    viewing_ = false;
    // A word that begins with v was meant for the input line.
    return text == "v" || text == "q" ? "" : all;
  }
  if (body && all == "v" && !meant_by(all)) {
    view_all();
    typed_ = all;
    return "";
  }
  selected = meant_by(all);
  // A second letter or digit changes the choice. Three of them are a word.
  if (!selected && typed_.size() == 1) selected = meant_by(text);
  // Another question has that answer: alone it is meant for this one, too.
  not_offered_.clear();
  if (urgent && !selected && all.size() == 1 && usual_letters.find(all) != usual_letters.npos) {
    typed_ = not_offered_ = all;
    return "";
  }
  typed_ = selected ? all : "";
  return selected ? "" : all;
}

std::string ChoiceDialog::hint() const {
  if (viewing_) return "↑ ↓ PgUp PgDn scroll, v or Esc goes back to the question";
  const bool letters = std::any_of(choices.begin(), choices.end(),
                                   [](const Choice& choice) { return choice.key != 0; });
  return (not_offered_.empty() ? "" : not_offered_ + not_here + ": ") +
         (letters ? "letter, " : "") + "number or ↑ ↓, then Enter";
}

bool ChoiceDialog::line(const std::string& text) {
  const auto index = meant_by(text);
  if (index) chosen(*index);
  return index.has_value();
}

void ChoiceDialog::dismiss() {
  if (dismissed) dismissed();
}

Dialog::Shown PagerDialog::shown(std::size_t columns, std::size_t rows) const {
  return {.lines = pager_.page(title_, lines_, columns, rows)};
}

bool PagerDialog::key(const Key& key) {
  pager_.scroll(key.text);
  return false;
}

bool PagerDialog::line(const std::string&) { return true; }

std::string PagerDialog::typed(const std::string& text) {
  if (pager_.scroll(text)) return "";
  closed_ = true;
  if (text == "p") print_(lines_);
  return text == "p" || text == "q" ? "" : text;
}

std::string PagerDialog::hint() const {
  return "↑ ↓ PgUp PgDn scroll, p prints it into the scrollback, q or Esc closes it";
}

namespace {

struct Field {
  std::string title = {}, description = {};
  std::string fallback = {};  // what an empty answer means
  std::vector<v1::EnumOption> options = {};
  bool several = false;
};

v1::EnumOption option_of(const std::string& value) {
  v1::EnumOption option;
  option.const_ = value;
  option.title = value;
  return option;
}

template <class Schema>
void name(Field& field, const Schema& schema) {
  if (schema.title.has_value()) field.title = *schema.title;
  if (schema.description.has_value()) field.description = *schema.description;
}

Field field_of(const v1::ElicitationPropertySchema& schema) {
  Field field;
  if (const auto* text = std::get_if<v1::StringPropertySchema>(&schema)) {
    name(field, *text);
    if (text->default_.has_value()) field.fallback = *text->default_;
    if (text->oneOf.has_value()) field.options = *text->oneOf;
    if (text->enum_.has_value())
      for (const std::string& value : *text->enum_) field.options.push_back(option_of(value));
  } else if (const auto* number = std::get_if<v1::NumberPropertySchema>(&schema)) {
    name(field, *number);
    if (number->default_.has_value()) field.fallback = std::to_string(*number->default_);
  } else if (const auto* whole = std::get_if<v1::IntegerPropertySchema>(&schema)) {
    name(field, *whole);
    if (whole->default_.has_value()) field.fallback = std::to_string(*whole->default_);
  } else if (const auto* yes = std::get_if<v1::BooleanPropertySchema>(&schema)) {
    name(field, *yes);
    if (yes->default_.has_value()) field.fallback = *yes->default_ ? "yes" : "no";
  } else if (const auto* many = std::get_if<v1::MultiSelectPropertySchema>(&schema)) {
    name(field, *many);
    field.several = true;
    if (const auto* titled = std::get_if<v1::TitledMultiSelectItems>(&many->items))
      field.options = titled->anyOf;
    if (const auto* plain = std::get_if<v1::StringMultiSelectItems>(&many->items))
      for (const std::string& value : plain->enum_) field.options.push_back(option_of(value));
    if (many->default_.has_value())
      for (const std::string& value : *many->default_)
        field.fallback += (field.fallback.empty() ? "" : ", ") + value;
  }
  return field;
}

template <class N>
N parsed(const std::string& text, const Nullable<N>& least, const Nullable<N>& most) {
  N value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument(std::is_integral_v<N> ? "a whole number is wanted"
                                                      : "a number is wanted");
  if (least.has_value() && value < *least) throw std::invalid_argument("that is too small");
  if (most.has_value() && value > *most) throw std::invalid_argument("that is too large");
  return value;
}

std::string chosen_of(const Field& field, const std::string& text) {
  if (const auto number = number_of(text); number && *number <= field.options.size())
    return field.options[*number - 1].const_;
  for (const v1::EnumOption& option : field.options)
    if (option.const_ == text || option.title == text) return option.const_;
  throw std::invalid_argument("one of the numbers is wanted");
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\n") - first + 1));
}

}  // namespace

FormDialog::FormDialog(std::string agent, std::string message, v1::ElicitationSchema schema,
                       std::function<void(std::optional<Values>)> done)
    : agent_(std::move(agent)),
      message_(std::move(message)),
      schema_(std::move(schema)),
      done_(std::move(done)) {
  urgent = true;
}

bool FormDialog::required(const std::string& name) const {
  return schema_.required.has_value() &&
         std::find(schema_.required->begin(), schema_.required->end(), name) !=
             schema_.required->end();
}

Dialog::Shown FormDialog::shown(std::size_t columns, std::size_t) const {
  Shown out;
  Line head = line_of("? ", {.bold = true, .colour = Colour::yellow});
  add(head, agent_ + " asks: ", {.bold = true});
  add(head, message_);
  for (Line& line : wrap(head, columns)) out.lines.push_back(std::move(line));
  Line prompt = line_of("  ");
  if (schema_.properties.empty()) {
    add(prompt, "Enter agrees, Esc declines", {.dim = true});
  } else {
    const auto& [name, schema] =
        *(schema_.properties.begin() + static_cast<std::ptrdiff_t>(field_));
    const Field field = field_of(schema);
    if (!field.description.empty())
      for (Line& line : wrap(line_of("  " + field.description, {.dim = true}), columns))
        out.lines.push_back(std::move(line));
    for (std::size_t i = 0; i < field.options.size() && i < 20; ++i)
      out.lines.push_back(
          fit(line_of("  " + std::to_string(i + 1) + " " + field.options[i].title), columns));
    if (field.several)
      out.lines.push_back(line_of("  any of them, with commas between", {.dim = true}));
    if (!error_.empty())
      out.lines.push_back(fit(line_of("  " + error_, {.colour = Colour::red}), columns));
    std::string label = field.title.empty() ? name : field.title;
    if (std::holds_alternative<v1::BooleanPropertySchema>(schema)) label += " (yes/no)";
    if (!field.fallback.empty())
      label += " [" + field.fallback + "]";
    else if (!required(name))
      label += " (may be empty)";
    add(prompt,
        std::to_string(field_ + 1) + "/" + std::to_string(schema_.properties.size()) + " " + label +
            ": ",
        {.bold = true});
  }
  prompt = fit(prompt, columns * 2 / 3);
  const EditorRows rows = editor_rows(editor_, prompt, columns, 5);
  out.cursor = {out.lines.size() + rows.cursor_row, rows.cursor_column};
  for (const Line& row : rows.rows) out.lines.push_back(row);
  out.lines.push_back(line_of("  Esc declines", {.dim = true}));
  return out;
}

bool FormDialog::key(const Key& key) {
  if (key.kind == Key::Kind::paste)
    editor_.insert(key.text);
  else if (key.is("Enter"))
    return enter(editor_.take());
  else if (key.is("Backspace") || key.is("C-h"))
    editor_.backspace();
  else if (key.is("Delete"))
    editor_.erase();
  else if (key.is("Left"))
    editor_.left();
  else if (key.is("Right"))
    editor_.right();
  else if (key.is("C-u"))
    editor_.kill_to_start();
  return false;
}

bool FormDialog::line(const std::string& text) { return enter(text); }

std::string FormDialog::typed(const std::string& text) {
  editor_.insert(text);
  return {};
}

void FormDialog::dismiss() { done_({}); }

std::optional<v1::ElicitationContentValue> FormDialog::read(const std::string& written) const {
  const auto& [name, schema] = *(schema_.properties.begin() + static_cast<std::ptrdiff_t>(field_));
  const Field field = field_of(schema);
  std::string text = trimmed(written);
  if (text.empty()) text = field.fallback;
  if (text.empty()) {
    if (required(name)) throw std::invalid_argument("an answer is wanted");
    return {};
  }
  if (const auto* one = std::get_if<v1::StringPropertySchema>(&schema)) {
    if (!field.options.empty()) return chosen_of(field, text);
    std::size_t length = 0;
    for (std::string_view rest = text; !rest.empty(); ++length)
      rest.remove_prefix(std::max<std::size_t>(first_cluster(rest).text.size(), 1));
    if (one->minLength.has_value() && length < *one->minLength)
      throw std::invalid_argument("at least " + std::to_string(*one->minLength) + " characters");
    if (one->maxLength.has_value() && length > *one->maxLength)
      throw std::invalid_argument("at most " + std::to_string(*one->maxLength) + " characters");
    return text;
  }
  if (const auto* number = std::get_if<v1::NumberPropertySchema>(&schema))
    return parsed<double>(text, number->minimum, number->maximum);
  if (const auto* whole = std::get_if<v1::IntegerPropertySchema>(&schema))
    return parsed<std::int64_t>(text, whole->minimum, whole->maximum);
  if (std::holds_alternative<v1::BooleanPropertySchema>(schema)) {
    const bool yes = text == "yes" || text == "y" || text == "true";
    if (!yes && text != "no" && text != "n" && text != "false")
      throw std::invalid_argument("yes or no is wanted");
    return yes;
  }
  if (std::holds_alternative<v1::MultiSelectPropertySchema>(schema)) {
    std::vector<std::string> values;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t comma = std::min(text.find(',', at), text.size());
      const std::string one = trimmed(std::string_view(text).substr(at, comma - at));
      if (!one.empty()) values.push_back(chosen_of(field, one));
      at = comma + 1;
    }
    return values;
  }
  throw std::invalid_argument("a field of an unknown kind cannot be filled: Esc declines");
}

bool FormDialog::enter(const std::string& text) {
  if (!schema_.properties.empty()) {
    try {
      const auto value = read(text);
      const auto& name = (schema_.properties.begin() + static_cast<std::ptrdiff_t>(field_))->first;
      if (value) values_[name] = *value;
    } catch (const std::invalid_argument& mistake) {
      error_ = mistake.what();
      editor_.set(text);
      return false;
    }
    error_.clear();
    if (++field_ < schema_.properties.size()) return false;
  }
  done_(values_);
  return true;
}

}  // namespace acp::chat
