// The host of a turn, or of one of its tool calls: the client's files and terminals where it offers
// them, else ours.
#pragma once

#include "acp/context.h"
#include "coder/session/session.h"
#include "coder/session/turn_report.h"
#include "coder/tools/tool_host.h"

namespace acp::coder {

class SessionToolHost final : public ToolHost {
 public:
  // Commands do not get the keys of `secrets`, and their output does not show them. All outlive
  // this.
  SessionToolHost(SessionContext context, Session& session, TurnReport& report,
                  const settings::Secrets& secrets)
      : SessionToolHost(context, context, session, report, secrets) {}
  // For a tool call, which may be cancelled alone: its own work ends then.
  SessionToolHost(SessionContext context, SessionContext work, Session& session, TurnReport& report,
                  const settings::Secrets& secrets)
      : context_(std::move(context)),
        work_(std::move(work)),
        session_(session),
        report_(report),
        secrets_(secrets) {}

  const workspace::Files& files() const override { return session_.files; }
  std::string read_text(const std::string& path, std::optional<std::uint32_t> line,
                        std::optional<std::uint32_t> limit) override;
  void write_text(const std::string& path, const std::string& content) override;
  CommandOutcome run(const CommandWanted& wanted, const CommandProgress& progress) override;
  void show_plan(const std::vector<v1::PlanEntry>& entries) override;
  std::vector<std::string> modes() const override;
  std::string mode() const override { return session_.mode(); }
  void switch_mode(const std::string& mode) override;
  workspace::PathFilter path_filter(v1::ToolKind kind) override {
    return session_.gate.path_filter(kind);
  }
  void mask(std::string& text) const override { secrets_.mask(text); }
  std::stop_token stop_token() const override { return work_.stop_token(); }

 private:
  // Throws FileError if the content would overwrite a key in the file with its mask from a tool's
  // result.
  void keep_keys_of(const std::string& path, const std::string& content) const;
  bool reads_at_client() const {
    return context_.client_capabilities().fs.readTextFile && !session_.null_files;
  }
  bool writes_at_client() const {
    return context_.client_capabilities().fs.writeTextFile && !session_.null_files;
  }
  // Returns false if the client has answered null, and has not written it.
  bool write_at_client(const std::string& path, const std::string& content);
  // Stops using the client's files, since it answers null to what it advertises; the user gets one
  // notice.
  void do_without_files();
  void do_without_terminals();
  CommandOutcome run_here(const CommandWanted& wanted, const CommandProgress& progress);
  CommandOutcome run_at_client(const CommandWanted& wanted, const CommandProgress& progress);

  SessionContext context_;
  SessionContext work_;  // what it waits for
  Session& session_;
  TurnReport& report_;
  const settings::Secrets& secrets_;
};

}  // namespace acp::coder
