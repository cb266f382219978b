#include "acp/role/versions/elicitation.h"

#include "acp/role/versions/kept.h"
#include "acp/role/versions/recode.h"

namespace acp::detail::versions {

namespace {

template <class List>
void drop_empty(Nullable<List>& list) {
  if (list && list->empty()) list.reset();
}

bool offers_nothing(const v1::ElicitationPropertySchema& property) {
  const auto* choice = std::get_if<v1::MultiSelectPropertySchema>(&property);
  if (choice == nullptr) return false;
  if (const auto* plain = std::get_if<v1::StringMultiSelectItems>(&choice->items))
    return plain->enum_.empty();
  const auto* titled = std::get_if<v1::TitledMultiSelectItems>(&choice->items);
  return titled != nullptr && titled->anyOf.empty();
}

void repair(v1::ElicitationSchema& schema) {
  std::vector<std::string> gone;
  for (auto& [name, property] : schema.properties) {
    if (offers_nothing(property)) gone.push_back(name);
    if (auto* text = std::get_if<v1::StringPropertySchema>(&property)) {
      drop_empty(text->enum_);
      drop_empty(text->oneOf);
    }
  }
  for (const std::string& name : gone) {
    schema.properties.erase(name);
    if (schema.required) std::erase(*schema.required, name);
  }
}

}  // namespace

std::optional<v2::CreateElicitationRequest> to_v2(v1::CreateElicitationRequest request) {
  if (auto* form = std::get_if<v1::ElicitationFormMode>(&request.mode))
    repair(form->requestedSchema);
  return recode<v2::CreateElicitationRequest>(request);
}

std::optional<v1::CreateElicitationRequest> to_v1(v2::CreateElicitationRequest request) {
  if (auto* form = std::get_if<v2::ElicitationFormMode>(&request.mode))
    for (auto& [name, property] : form->requestedSchema.properties)
      if (auto* text = std::get_if<v2::StringPropertySchema>(&property);
          text != nullptr && text->format && *text->format == v2::StringFormat::unknown_) {
        keep(text->_meta, "format", text->format->unlisted);
        text->format.reset();
      }
  return recode<v1::CreateElicitationRequest>(request);
}

v2::CreateElicitationResponse to_v2(v1::CreateElicitationResponse response) {
  return recoded<v2::CreateElicitationResponse>(response);
}

v1::CreateElicitationResponse to_v1(v2::CreateElicitationResponse response) {
  v1::CreateElicitationResponse to;
  to._meta = std::move(response._meta);
  std::visit(
      Overloaded{[&](v2::ElicitationAcceptAction& from) {
                   v1::ElicitationAcceptAction accept;
                   if (from.content.is_null()) accept.content = nullptr;
                   if (from.content) {
                     auto& content = accept.content.emplace();
                     for (const auto& [name, value] : *from.content) {
                       auto same = recode<v1::ElicitationContentValue>(value);
                       content[name] = same ? std::move(*same)
                                            : v1::ElicitationContentValue(json::encode(value));
                     }
                   }
                   to.action = std::move(accept);
                 },
                 [&](v2::ElicitationDeclineAction&) { to.action = v1::ElicitationDeclineAction(); },
                 [&](v2::ElicitationCancelAction&) { to.action = v1::ElicitationCancelAction(); },
                 [&](Unknown& unknown) {
                   keep(to._meta, "action", unknown.tag);
                   to.action = v1::ElicitationCancelAction();
                 }},
      response.action);
  return to;
}

}  // namespace acp::detail::versions
