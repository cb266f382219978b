// An agent that stores its sessions itself, with two tools, a plan, modes and an option. Prompts:
// "add FILE TEXT" adds a line to a file, "find FILE WORD" looks for one.
//   notebook_agent DIRECTORY        where the sessions are stored
#include <acp/agent.h>
#include <acp/json/codec.h>
#include <acp/mcp/session_servers.h>
#include <acp/schema/v1.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

namespace {

namespace fs = std::filesystem;
namespace v1 = acp::v1;
using acp::StopReason;
using acp::Task;
using acp::ToolKind;
using acp::Turn;

struct Notebook {
  std::string cwd, mode = "ask", style = "short";
  std::vector<acp::SessionUpdate> said = {};
  void note(const acp::SessionUpdate& update) {
    if (const auto* set = std::get_if<v1::CurrentModeUpdate>(&update)) mode = set->currentModeId;
    if (const auto* set = std::get_if<v1::ConfigOptionUpdate>(&update))
      style = std::get<v1::SessionConfigSelect>(set->configOptions.at(0).type).currentValue;
  }
};

// A file for each session: its directory, then what was said, each on a line. Handlers run one at a
// time, so there is no lock.
class Store {
 public:
  explicit Store(fs::path directory) : directory_(std::move(directory)) {
    fs::create_directories(directory_);
  }
  Notebook& create(const std::string& id, const std::string& cwd) {
    write(id, acp::json::encode(cwd));
    return open_[id] = {.cwd = cwd};
  }
  void keep(const std::string& id, const acp::SessionUpdate& update) {
    write(id, acp::json::encode(update));
    open_.at(id).note(update);
  }
  Notebook& open(const std::string& id) { return open_.at(id); }
  void close(const std::string& id) { open_.erase(id); }
  Notebook& load(const std::string& id) {
    const bool is_id = !id.empty() && id.find_first_of("/.") == id.npos;  // and not a path
    std::ifstream file(is_id ? directory_ / id : "");
    std::string line;
    Notebook book;
    if (!is_id || !std::getline(file, line))
      throw acp::not_found("session " + id, acp::Json::object({{"sessionId", id}}));
    book.cwd = acp::json::decode<std::string>(line).value();
    while (std::getline(file, line)) {
      book.said.push_back(acp::json::decode<acp::SessionUpdate>(line).value());
      book.note(book.said.back());
    }
    return open_[id] = std::move(book);
  }
  std::vector<v1::SessionInfo> list(const std::string& cwd) const {
    std::vector<v1::SessionInfo> all;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory_)) {
      std::ifstream file(entry.path());
      std::string line;
      std::getline(file, line);
      v1::SessionInfo info;
      info.sessionId = entry.path().filename();
      info.cwd = acp::json::decode<std::string>(line).value();
      if (cwd.empty() || cwd == info.cwd) all.push_back(std::move(info));
    }
    return all;
  }

 private:
  void write(const std::string& id, const std::string& line) {
    std::ofstream file(directory_ / id, std::ios::app);
    if (!(file << line << std::endl)) throw std::runtime_error("cannot store the session " + id);
  }
  const fs::path directory_;
  std::map<std::string, Notebook> open_;
};

v1::SessionModeState modes(const std::string& current) {
  return {.currentModeId = current,
          .availableModes = {{.id = "ask", .name = "Ask before writing"},
                             {.id = "auto", .name = "Write without asking"}}};
}

std::vector<v1::SessionConfigOption> options(const std::string& current) {
  std::vector<v1::SessionConfigSelectOption> values(2);
  values[0].value = "short", values[0].name = "Short answers";
  values[1].value = "long", values[1].name = "Long answers";
  const v1::SessionConfigSelect select{.currentValue = current, .options = values};
  std::vector<v1::SessionConfigOption> options(1);
  options[0].id = "style", options[0].name = "Style";
  options[0].type = select;
  return options;
}

// Empty if there is none yet.
Task<std::string> notes(Turn turn, std::string path) {
  try {
    co_return co_await turn.read_file(path);
  } catch (const acp::CallFailed& failed) {
    if (failed.code() != acp::rpc::not_found) throw;
    co_return "";
  }
}

Task<std::string> find(Turn turn, std::string path, std::string word) {
  const acp::ToolCall call = turn.tool_call("Find " + word, ToolKind::search);  // fails by itself
  co_await call.start();
  std::istringstream text(co_await notes(turn, path));
  std::string found;
  for (std::string line; std::getline(text, line);)
    if (line.find(word) != line.npos) found += line + "\n";
  co_await call.complete(found);
  co_return found.empty() ? "Nothing.\n" : found;
}

Task<std::string> add(Turn turn, std::string path, std::string line, bool ask) {
  const acp::ToolCall call = turn.tool_call("Add to " + path, ToolKind::edit);
  const std::string before = co_await notes(turn, path), after = before + line + "\n";
  co_await call.add_diff(path, before, after);
  if (ask && !(co_await call.ask_permission()).allowed) co_return "Nothing was written.\n";
  co_await call.start();
  co_await turn.write_file(path, after);
  co_await call.complete();
  co_return "Written.\n";
}

Task<StopReason> answer(Turn turn, Notebook book) {
  std::istringstream prompt(turn.text());
  std::string word, path, rest;
  std::getline(prompt >> word >> path >> std::ws, rest);
  path = fs::path(book.cwd) / path;
  acp::Plan plan = turn.make_plan();
  co_await plan.add("Use the notes");
  co_await plan.add("Answer");
  std::string said, failure;
  try {
    if (word == "add") said = co_await add(turn, path, rest, book.mode == "ask");
    if (word == "find") said = co_await find(turn, path, rest);
  } catch (const acp::CallFailed& failed) {
    failure = failed.what();
  } catch (const acp::Refused& refused) {  // the client has no files
    failure = refused.what();
  }
  if (said.empty())
    said = failure.empty() ? "Say: add FILE TEXT, or: find FILE WORD.\n" : failure + "\n";
  co_await plan.set(0, acp::PlanEntryStatus::completed);
  if (book.style == "long") said += "That is all that I can say about it.\n";
  co_await turn.say(said);
  co_await plan.set(1, acp::PlanEntryStatus::completed);
  co_return StopReason::end_turn;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return (std::cerr << "Usage: notebook_agent DIRECTORY\n"), 2;
  Store store(argv[1]);
  acp::mcp::SessionServers servers("notebook", "1.0");
  // It takes a while to connect: meanwhile other handlers run.
  const auto connect = [&](acp::SessionContext session, std::vector<v1::McpServer> configs) {
    const auto open = [=, &servers] { servers.open(session, configs); };
    return session.on_thread(open);
  };
  acp::Agent agent("notebook", "1.0");
  v1::McpCapabilities transports;
  transports.http = transports.sse = true;
  agent.mcp_capabilities(transports)
      .modes(modes("ask").availableModes, "ask")
      .config_options(options("short"))
      .on_new_session(
          [&](acp::SessionContext session, v1::NewSessionRequest request) -> Task<void> {
            store.create(session.session_id(), request.cwd);
            co_await connect(session, request.mcpServers);
          })
      .on_load_session([&](acp::SessionContext session,
                           v1::LoadSessionRequest request) -> Task<v1::LoadSessionResponse> {
        const Notebook book = store.load(request.sessionId);
        for (const acp::SessionUpdate& update : book.said) co_await session.update(update);
        co_await connect(session, request.mcpServers);
        v1::LoadSessionResponse response;
        response.modes = modes(book.mode);
        response.configOptions = options(book.style);
        co_return response;
      })
      .on_list_sessions([&](acp::Context, v1::ListSessionsRequest request) {
        if (request.cursor.has_value())
          throw acp::invalid_params("cursor", "none: there is one page", *request.cursor);
        return store.list(request.cwd.value_or(""));
      })
      .on_close_session([&](acp::Context, v1::CloseSessionRequest request) {
        store.close(request.sessionId);
        servers.close(request.sessionId);
      })
      .on_set_mode([&](acp::SessionContext session, v1::SetSessionModeRequest request) {
        v1::CurrentModeUpdate update;
        update.currentModeId = request.modeId;
        store.keep(session.session_id(), update);
      })
      .on_set_config_option(
          [&](acp::SessionContext session, v1::SetSessionConfigOptionRequest request) {
            const auto* value = std::get_if<v1::SetSessionConfigValueId>(&request.value);
            if (value == nullptr) return;
            v1::ConfigOptionUpdate update;
            update.configOptions = options(value->value);
            store.keep(session.session_id(), update);
          })
      .on_prompt([&](Turn turn) {
        const std::string id = turn.session_id();
        for (const acp::ContentBlock& block : turn.prompt()) {
          v1::UserMessageChunk chunk;
          chunk.content = block;
          store.keep(id, chunk);
        }
        const auto keep = [&store, id](acp::SessionUpdate& update) { store.keep(id, update); };
        return answer(turn.before_update(keep), store.open(id));
      });
  return agent.run(acp::stdio());
}
