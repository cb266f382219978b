// Configuration options in both versions, and version 1's modes, which are an option of category
// `mode` in version 2.
//
// Where the versions differ:
// - Version 2 demands at least one value in a select and in a group: a select without any gets its
//   current value as the only one, an empty group is left out.
// - An option that version 1 has under category `mode` takes the place of the modes: version 1
//   agents report both for clients that know only one of them.
// - Modes made of an option lose its groups.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "acp/schema/v1.h"
#include "acp/schema/v2.h"

namespace acp::detail::versions {

v2::SessionConfigOption to_v2(v1::SessionConfigOption option);
v1::SessionConfigOption to_v1(v2::SessionConfigOption option);
std::vector<v2::SessionConfigOption> to_v2(std::vector<v1::SessionConfigOption> options);
std::vector<v1::SessionConfigOption> to_v1(std::vector<v2::SessionConfigOption> options);

// An agent's side: what version 1 has as modes and options, as version 2's one list.
class OptionsToV2 {
 public:
  OptionsToV2() = default;
  OptionsToV2(std::optional<v1::SessionModeState> modes,
              std::vector<v1::SessionConfigOption> options);
  // The modes are the session's own; null if it has none.
  OptionsToV2(std::shared_ptr<v1::SessionModeState> modes,
              std::vector<v1::SessionConfigOption> options);

  // They change what list() gives.
  void set_mode(const v1::SessionModeId& mode);
  void set_options(std::vector<v1::SessionConfigOption> options);

  // The complete list, the modes first.
  std::vector<v2::SessionConfigOption> list() const;
  v2::ConfigOptionUpdate update() const;
  // The list as JSON: written once, for an agent that is asked for change after change.
  const std::string& list_text();
  // What a client asks for: a mode, or an option. Nothing if version 1 cannot say it.
  std::optional<std::variant<v1::SetSessionModeRequest, v1::SetSessionConfigOptionRequest>> request(
      v2::SetSessionConfigOptionRequest request) const;

 private:
  bool has_mode_option() const;
  void choose_id();

  std::shared_ptr<v1::SessionModeState> modes_;
  std::vector<v1::SessionConfigOption> options_;
  std::string mode_id_ = "mode";  // the modes' configId
  struct Written {
    std::string mode, text;
  };
  std::unique_ptr<const Written> written_;  // null if the options have changed
};

// A client's side: version 2's list as modes and options.
struct OptionsToV1 {
  // With `map_modes`, the first select of category `mode` becomes the modes.
  static OptionsToV1 of(std::vector<v2::SessionConfigOption> list, bool map_modes);

  std::string mode_id;  // the configId of the option that became the modes; empty if none did
  std::optional<v1::SessionModeState> modes;
  std::vector<v1::SessionConfigOption> options;
};

// Nothing for a value of an unknown type that version 2 does not allow.
std::optional<v2::SetSessionConfigOptionRequest> to_v2(v1::SetSessionConfigOptionRequest request);
v1::SetSessionConfigOptionRequest to_v1(v2::SetSessionConfigOptionRequest request);
// `mode_id` is OptionsToV1's.
v2::SetSessionConfigOptionRequest to_v2(v1::SetSessionModeRequest request,
                                        const std::string& mode_id);

}  // namespace acp::detail::versions
