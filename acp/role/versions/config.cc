#include "acp/role/versions/config.h"

#include "acp/role/versions/recode.h"

namespace acp::detail::versions {

namespace {

template <class To, class From>
std::vector<To> select_options(std::vector<From>&& from) {
  return mapped_list<To>(std::move(from), [](From&& old) {
    To to;
    to.value = std::move(old.value);
    to.name = std::move(old.name);
    to.description = std::move(old.description);
    to._meta = std::move(old._meta);
    return to;
  });
}

v2::SessionConfigSelectOption only_value(const std::string& value) {
  v2::SessionConfigSelectOption option;
  option.value = option.name = value;
  return option;
}

v2::SessionConfigSelect select_to_v2(v1::SessionConfigSelect& from) {
  v2::SessionConfigSelect to;
  if (auto* groups = std::get_if<std::vector<v1::SessionConfigSelectGroup>>(&from.options)) {
    std::vector<v2::SessionConfigSelectGroup> list;
    for (v1::SessionConfigSelectGroup& old : *groups) {
      if (old.options.empty()) continue;
      v2::SessionConfigSelectGroup& group = list.emplace_back();
      group.groupId = std::move(old.group);
      group.name = std::move(old.name);
      group.options = select_options<v2::SessionConfigSelectOption>(std::move(old.options));
      group._meta = std::move(old._meta);
    }
    if (!list.empty()) to.options = std::move(list);
  } else {
    auto& flat = std::get<std::vector<v1::SessionConfigSelectOption>>(from.options);
    to.options = select_options<v2::SessionConfigSelectOption>(std::move(flat));
  }
  auto* flat = std::get_if<std::vector<v2::SessionConfigSelectOption>>(&to.options);
  if (flat != nullptr && flat->empty()) flat->push_back(only_value(from.currentValue));
  to.currentValue = std::move(from.currentValue);
  return to;
}

v1::SessionConfigSelect select_to_v1(v2::SessionConfigSelect& from) {
  v1::SessionConfigSelect to;
  to.currentValue = std::move(from.currentValue);
  if (auto* groups = std::get_if<std::vector<v2::SessionConfigSelectGroup>>(&from.options)) {
    to.options = mapped_list<v1::SessionConfigSelectGroup>(
        std::move(*groups), [](v2::SessionConfigSelectGroup&& old) {
          v1::SessionConfigSelectGroup group;
          group.group = std::move(old.groupId);
          group.name = std::move(old.name);
          group.options = select_options<v1::SessionConfigSelectOption>(std::move(old.options));
          group._meta = std::move(old._meta);
          return group;
        });
  } else {
    auto& flat = std::get<std::vector<v2::SessionConfigSelectOption>>(from.options);
    to.options = select_options<v1::SessionConfigSelectOption>(std::move(flat));
  }
  return to;
}

template <class To, class From>
void move_common(From& from, To& to) {
  using Category = std::remove_reference_t<decltype(*to.category)>;
  to.name = std::move(from.name);
  to.description = std::move(from.description);
  to.category = recoded<Category>(from.category);
  to._meta = std::move(from._meta);
}

bool is_mode(const auto& option) {
  return option.category &&
         option.category->index == static_cast<std::uint8_t>(v1::SessionConfigOptionCategory::mode);
}

}  // namespace

v2::SessionConfigOption to_v2(v1::SessionConfigOption option) {
  v2::SessionConfigOption to;
  if (auto* select = std::get_if<v1::SessionConfigSelect>(&option.type)) {
    to.type = select_to_v2(*select);
  } else if (auto* toggle = std::get_if<v1::SessionConfigBoolean>(&option.type)) {
    v2::SessionConfigBoolean boolean;
    boolean.currentValue = toggle->currentValue;
    to.type = boolean;
  } else {
    to.type = std::get<Unknown>(std::move(option.type));
  }
  to.configId = std::move(option.id);
  move_common(option, to);
  return to;
}

v1::SessionConfigOption to_v1(v2::SessionConfigOption option) {
  v1::SessionConfigOption to;
  if (auto* select = std::get_if<v2::SessionConfigSelect>(&option.type)) {
    to.type = select_to_v1(*select);
  } else if (auto* toggle = std::get_if<v2::SessionConfigBoolean>(&option.type)) {
    v1::SessionConfigBoolean boolean;
    boolean.currentValue = toggle->currentValue;
    to.type = boolean;
  } else {
    to.type = std::get<Unknown>(std::move(option.type));
  }
  to.id = std::move(option.configId);
  move_common(option, to);
  return to;
}

std::vector<v2::SessionConfigOption> to_v2(std::vector<v1::SessionConfigOption> options) {
  return mapped_list<v2::SessionConfigOption>(
      std::move(options),
      [](v1::SessionConfigOption&& option) { return to_v2(std::move(option)); });
}

std::vector<v1::SessionConfigOption> to_v1(std::vector<v2::SessionConfigOption> options) {
  return mapped_list<v1::SessionConfigOption>(
      std::move(options),
      [](v2::SessionConfigOption&& option) { return to_v1(std::move(option)); });
}

OptionsToV2::OptionsToV2(std::optional<v1::SessionModeState> modes,
                         std::vector<v1::SessionConfigOption> options)
    : OptionsToV2(modes ? std::make_shared<v1::SessionModeState>(std::move(*modes)) : nullptr,
                  std::move(options)) {}

OptionsToV2::OptionsToV2(std::shared_ptr<v1::SessionModeState> modes,
                         std::vector<v1::SessionConfigOption> options)
    : modes_(std::move(modes)), options_(std::move(options)) {
  choose_id();
}

// Free among the options' ids; it stays what it is while it can.
void OptionsToV2::choose_id() {
  const auto taken = [&] {
    for (const v1::SessionConfigOption& option : options_)
      if (option.id == mode_id_) return true;
    return false;
  };
  for (int number = 2; taken(); ++number) mode_id_ = "mode" + std::to_string(number);
}

bool OptionsToV2::has_mode_option() const {
  for (const v1::SessionConfigOption& option : options_)
    if (is_mode(option) && std::holds_alternative<v1::SessionConfigSelect>(option.type))
      return true;
  return false;
}

void OptionsToV2::set_mode(const v1::SessionModeId& mode) {
  if (modes_) modes_->currentModeId = mode;
  for (v1::SessionConfigOption& option : options_) {
    auto* const select = std::get_if<v1::SessionConfigSelect>(&option.type);
    if (select == nullptr || !is_mode(option) || select->currentValue == mode) continue;
    select->currentValue = mode;
    written_.reset();
  }
}

void OptionsToV2::set_options(std::vector<v1::SessionConfigOption> options) {
  written_.reset();
  options_ = std::move(options);
  choose_id();
  for (const v1::SessionConfigOption& option : options_)
    if (auto* select = std::get_if<v1::SessionConfigSelect>(&option.type);
        select != nullptr && is_mode(option) && modes_)
      modes_->currentModeId = select->currentValue;
}

std::vector<v2::SessionConfigOption> OptionsToV2::list() const {
  std::vector<v2::SessionConfigOption> list = to_v2(options_);
  if (!modes_ || has_mode_option()) return list;
  v2::SessionConfigOption option;
  option.configId = mode_id_;
  option.name = "Mode";
  option.category = v2::SessionConfigOptionCategory(v2::SessionConfigOptionCategory::mode);
  option._meta = modes_->_meta;
  v2::SessionConfigSelect select;
  select.currentValue = modes_->currentModeId;
  std::vector<v2::SessionConfigSelectOption> values;
  values.reserve(modes_->availableModes.size());
  for (const v1::SessionMode& mode : modes_->availableModes) {
    v2::SessionConfigSelectOption& value = values.emplace_back();
    value.value = mode.id;
    value.name = mode.name;
    value.description = mode.description;
    value._meta = mode._meta;
  }
  if (values.empty()) values.push_back(only_value(modes_->currentModeId));
  select.options = std::move(values);
  option.type = std::move(select);
  list.insert(list.begin(), std::move(option));
  return list;
}

const std::string& OptionsToV2::list_text() {
  const std::string mode = modes_ ? modes_->currentModeId : "";
  if (!written_ || written_->mode != mode)
    written_ = std::make_unique<const Written>(Written{mode, json::encode(list())});
  return written_->text;
}

v2::ConfigOptionUpdate OptionsToV2::update() const {
  v2::ConfigOptionUpdate update;
  update.configOptions = list();
  return update;
}

std::optional<std::variant<v1::SetSessionModeRequest, v1::SetSessionConfigOptionRequest>>
OptionsToV2::request(v2::SetSessionConfigOptionRequest request) const {
  if (modes_ && !has_mode_option() && request.configId == mode_id_) {
    const auto* value = std::get_if<v2::SetSessionConfigValueId>(&request.value);
    if (value == nullptr) return std::nullopt;
    v1::SetSessionModeRequest to;
    to.modeId = value->value;
    to.sessionId = std::move(request.sessionId);
    to._meta = std::move(request._meta);
    return to;
  }
  return to_v1(std::move(request));
}

OptionsToV1 OptionsToV1::of(std::vector<v2::SessionConfigOption> list, bool map_modes) {
  OptionsToV1 result;
  for (v2::SessionConfigOption& option : list) {
    auto* select = std::get_if<v2::SessionConfigSelect>(&option.type);
    if (!map_modes || result.modes || select == nullptr || !is_mode(option)) {
      result.options.push_back(to_v1(std::move(option)));
      continue;
    }
    result.mode_id = option.configId;
    v1::SessionModeState& modes = result.modes.emplace();
    modes.currentModeId = std::move(select->currentValue);
    modes._meta = std::move(option._meta);
    const auto add = [&](std::vector<v2::SessionConfigSelectOption>& values) {
      modes.availableModes.reserve(modes.availableModes.size() + values.size());
      for (v2::SessionConfigSelectOption& value : values) {
        v1::SessionMode& mode = modes.availableModes.emplace_back();
        mode.id = std::move(value.value);
        mode.name = std::move(value.name);
        mode.description = std::move(value.description);
        mode._meta = std::move(value._meta);
      }
    };
    if (auto* groups = std::get_if<std::vector<v2::SessionConfigSelectGroup>>(&select->options))
      for (v2::SessionConfigSelectGroup& group : *groups) add(group.options);
    else
      add(std::get<std::vector<v2::SessionConfigSelectOption>>(select->options));
  }
  return result;
}

std::optional<v2::SetSessionConfigOptionRequest> to_v2(v1::SetSessionConfigOptionRequest request) {
  // An identifier has no type in version 1.
  if (auto* id = std::get_if<v1::SetSessionConfigValueId>(&request.value)) {
    v2::SetSessionConfigOptionRequest to;
    v2::SetSessionConfigValueId value;
    value.value = std::move(id->value);
    to.value = std::move(value);
    to.sessionId = std::move(request.sessionId);
    to.configId = std::move(request.configId);
    to._meta = std::move(request._meta);
    return to;
  }
  return recode<v2::SetSessionConfigOptionRequest>(request);
}

v1::SetSessionConfigOptionRequest to_v1(v2::SetSessionConfigOptionRequest request) {
  v1::SetSessionConfigOptionRequest to;
  to.sessionId = std::move(request.sessionId);
  to.configId = std::move(request.configId);
  to._meta = std::move(request._meta);
  std::visit(Overloaded{[&](v2::SetSessionConfigBoolean& from) {
                          v1::SetSessionConfigBoolean value;
                          value.value = from.value;
                          to.value = value;
                        },
                        [&](v2::SetSessionConfigValueId& from) {
                          v1::SetSessionConfigValueId value;
                          value.value = std::move(from.value);
                          to.value = std::move(value);
                        },
                        [&](Unknown& unknown) { to.value = std::move(unknown); }},
             request.value);
  return to;
}

v2::SetSessionConfigOptionRequest to_v2(v1::SetSessionModeRequest request,
                                        const std::string& mode_id) {
  v2::SetSessionConfigOptionRequest to;
  to.sessionId = std::move(request.sessionId);
  to.configId = mode_id;
  v2::SetSessionConfigValueId value;
  value.value = std::move(request.modeId);
  to.value = std::move(value);
  to._meta = std::move(request._meta);
  return to;
}

}  // namespace acp::detail::versions
