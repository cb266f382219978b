#include "gateway/client_sessions.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "acp/error.h"

namespace acp::gateway {
namespace {

namespace fs = std::filesystem;

struct ClientSessionsTest : ::testing::Test {
  ClientSessionsTest() {
    std::string name = fs::temp_directory_path() / "acp-sessions-XXXXXX";
    folder = fs::canonical(mkdtemp(name.data()));
    fs::create_directories(folder / "root/inside");
    roots = std::make_unique<Roots>(std::vector<std::string>{folder / "root"});
    sessions = std::make_unique<ClientSessions>(SessionLimits{roots.get(), false, 2});
  }
  ~ClientSessionsTest() override { fs::remove_all(folder); }

  // The code of what is thrown; 0 if nothing is.
  static int code_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.code();
    }
    return 0;
  }
  Json params(const std::string& more = "", const char* cwd = "root") const {
    return *Json::parse(R"({"cwd":")" + (folder / cwd).string() + "\"" + more + "}");
  }
  int opens(const Json& params, bool named = false) {
    const char* const method = named ? "session/load" : "session/new";
    return code_of([&] { ClientSessions::Opening(*sessions, method, params); });
  }
  void open(const char* id) {
    ClientSessions::Opening opening(*sessions, "session/new", params());
    opening.done(Json::object({{"sessionId", id}}));
  }
  Json of(const char* id) const { return Json::object({{"sessionId", id}}); }

  fs::path folder;
  std::unique_ptr<Roots> roots;
  std::unique_ptr<ClientSessions> sessions;
};

TEST_F(ClientSessionsTest, OpenInTheRootsOnly) {
  EXPECT_EQ(opens(params()), 0);
  EXPECT_EQ(opens(params(R"(,"mcpServers":[])", "root/inside")), 0);
  EXPECT_EQ(opens(params("", ".")), rpc::permission_denied);
  EXPECT_EQ(opens(*Json::parse(R"({"cwd":"root"})")), rpc::permission_denied);
  EXPECT_EQ(opens(*Json::parse(R"({"cwd":7})")), rpc::permission_denied);
  EXPECT_EQ(opens(params(R"(,"additionalDirectories":["/"])")), rpc::permission_denied);
}

TEST_F(ClientSessionsTest, ANameMayNotStandThereTwice) {
  EXPECT_EQ(opens(params(R"(,"cwd":"/")")), rpc::invalid_params);
  EXPECT_EQ(opens(*Json::parse(R"({"cwd":"/","CWD":")" + (folder / "root").string() + "\"}")),
            rpc::invalid_params);
  EXPECT_EQ(opens(params(R"(,"mcpServers":[{"type":"stdio","type":"http","name":"x"}])")),
            rpc::invalid_params);
  open("mine");
  EXPECT_EQ(code_of([&] {
              sessions->require_own(*Json::parse(R"({"sessionId":"other","sessionId":"mine"})"));
            }),
            rpc::invalid_params);
}

// Go's parser takes names of any case, and so takes one that we would not look at.
TEST_F(ClientSessionsTest, ANameHasOneSpelling) {
  const std::string outside = R"("/")", program = R"([{"name":"x","command":"/bin/sh"}])";
  for (const char* name : {"CWD", "Cwd", "c_wd"}) {
    EXPECT_EQ(opens(*Json::parse("{\"" + std::string(name) + "\":" + outside + "}")),
              rpc::invalid_params)
        << name;
  }
  for (const char* name : {"McpServers", "mcp_servers", "mcp\u017fervers", "MCP-Servers"})
    EXPECT_EQ(opens(params(",\"" + std::string(name) + "\":" + program)), rpc::invalid_params)
        << name;
  EXPECT_EQ(opens(params(R"(,"additionaldirectories":["/"])")), rpc::invalid_params);
  EXPECT_EQ(opens(params(R"(,"mcpServers":[{"name":"x","type":"http","Command":"/bin/sh"}])")),
            rpc::invalid_params);
  EXPECT_EQ(opens(params(R"(,"SessionId":"s")"), true), rpc::invalid_params);
  for (const char* name : {"SessionID", "session_id"})
    EXPECT_EQ(code_of([&] {
                sessions->require_own(Json::object({{name, "other"}}));
              }),
              rpc::invalid_params)
        << name;
  const auto extension = [&](const Json& params) {
    return code_of([&] { sessions->require_own(params, true); });
  };
  EXPECT_EQ(extension(Json::object({{"session_id", "its own"}})), 0);
  EXPECT_EQ(extension(Json::object({{"sessionId", "other"}})), rpc::not_found);
  EXPECT_EQ(opens(params(R"(,"_meta":{"CWD":"/"},"meta":1,"more":2)")), 0);
}

// With a square of the letters it takes hours.
TEST_F(ClientSessionsTest, ALongNameIsReadOnce) {
  std::string name;
  for (int i = 0; i < 10'000'000; ++i) name += "\u212a";
  EXPECT_EQ(code_of([&] { sessions->require_own(Json::object({{name, 1}})); }), 0);
}

TEST_F(ClientSessionsTest, WhatIsNoListIsRefused) {
  for (const char* list : {R"({"x":{"command":"/bin/sh"}})", R"("/etc")", "7", "true"}) {
    EXPECT_EQ(opens(params(R"(,"mcpServers":)" + std::string(list))), rpc::invalid_params) << list;
    EXPECT_EQ(opens(params(R"(,"additionalDirectories":)" + std::string(list))),
              rpc::invalid_params)
        << list;
  }
  EXPECT_EQ(opens(params(R"(,"mcpServers":null,"additionalDirectories":null)")), 0);
  EXPECT_EQ(opens(params(R"(,"mcpServers":["/bin/sh"])")), rpc::permission_denied);
  for (const char* all : {"{}", R"({"cwd":null})", R"(["/"])", R"("/")"})
    EXPECT_EQ(opens(*Json::parse(all)), rpc::invalid_params) << all;
}

// Some parsers read an array as an object's values, in their order.
TEST_F(ClientSessionsTest, ParamsThatAreNoObjectAreRefused) {
  open("mine");
  for (const char* text : {R"(["foreign"])", R"(["mine"])", "[]", R"("mine")", "7", "true"}) {
    const Json params = *Json::parse(text);
    EXPECT_EQ(code_of([&] { sessions->require_own(params); }), rpc::invalid_params) << text;
    EXPECT_EQ(code_of([&] { sessions->require_own(params, true); }), rpc::invalid_params) << text;
    EXPECT_EQ(code_of([&] { sessions->require_listed(params); }), rpc::invalid_params) << text;
    EXPECT_EQ(code_of([&] { ClientSessions::Opening(*sessions, "nes/start", params); }),
              rpc::invalid_params)
        << text;
    const Json folders = Json::object({{"workspaceFolders", Json::array({params})}});
    EXPECT_EQ(code_of([&] { ClientSessions::Opening(*sessions, "nes/start", folders); }),
              rpc::invalid_params)
        << text;
  }
  for (const Json& none : {Json(), *Json::parse("null")})
    EXPECT_EQ(code_of([&] { sessions->require_own(none); }), 0);
}

TEST_F(ClientSessionsTest, ServersThatAreProgramsAreRefused) {
  const auto server = [&](const std::string& text) {
    return opens(params(R"(,"mcpServers":[{"name":"x",)" + text + "}]"));
  };
  EXPECT_EQ(server(R"("type":"http","url":"http://x/")"), 0);
  EXPECT_EQ(server(R"("type":"sse","url":"http://x/")"), 0);
  for (const char* program :
       {R"("command":"/bin/sh")", R"("type":"stdio")", R"("type":"new")", R"("type":7)",
        R"("type":null,"url":"http://x/")", R"("type":"http","command":"/bin/sh")"})
    EXPECT_EQ(server(program), rpc::permission_denied) << program;
  sessions = std::make_unique<ClientSessions>(SessionLimits{roots.get(), true, 2});
  EXPECT_EQ(server(R"("command":"/bin/sh")"), 0);
}

TEST_F(ClientSessionsTest, OnlyItsOwnCanBeUsed) {
  const auto own = [&](const char* id) { return code_of([&] { sessions->require_own(of(id)); }); };
  EXPECT_EQ(own("one"), rpc::not_found);
  open("one");
  EXPECT_EQ(own("one"), 0);
  {
    ClientSessions::Opening loading(*sessions, "session/load", params(R"(,"sessionId":"two")"));
    EXPECT_EQ(own("two"), 0);  // what follows in one go
  }
  EXPECT_EQ(own("two"), rpc::not_found);  // it could not be loaded
  sessions->closed(of("one"));
  EXPECT_EQ(own("one"), rpc::not_found);
  EXPECT_EQ(code_of([&] { sessions->require_own(*Json::parse(R"({"other":1})")); }), 0);
}

TEST_F(ClientSessionsTest, WhatWasClosedCanBeDeleted) {
  const auto may_delete = [&](const char* id) {
    return code_of([&] { sessions->require_listed(of(id)); }) == 0;
  };
  sessions->closed(of("another's"));
  EXPECT_FALSE(may_delete("another's"));
  open("one");
  sessions->closed(of("one"));
  EXPECT_TRUE(may_delete("one"));
  sessions->deleted(of("one"));
  EXPECT_FALSE(may_delete("one"));
  open("old");
  sessions->closed(of("old"));
  for (int i = 0; i < 1000; ++i) {
    const std::string id = std::to_string(i);
    open(id.c_str());
    sessions->closed(of(id.c_str()));
  }
  EXPECT_FALSE(may_delete("old")) << "a limit";
  EXPECT_TRUE(may_delete("0"));
}

TEST_F(ClientSessionsTest, HaveALimit) {
  open("one");
  open("two");
  EXPECT_EQ(opens(params()), rpc::permission_denied);
  EXPECT_EQ(opens(params(R"(,"sessionId":"two")"), true), 0);  // it is open
  sessions->closed(of("one"));
  EXPECT_EQ(opens(params()), 0);
}

TEST_F(ClientSessionsTest, SuggestionsAreForWorkspacesInTheRoots) {
  const auto starts = [&](const std::string& params) {
    return code_of([&] { ClientSessions::Opening(*sessions, "nes/start", *Json::parse(params)); });
  };
  const std::string root = "file://" + (folder / "root").string();
  EXPECT_EQ(starts("{}"), 0);
  EXPECT_EQ(starts(R"({"workspaceUri":null,"workspaceFolders":null})"), 0);
  EXPECT_EQ(starts(R"({"workspaceUri":")" + root + R"(/%69nside","workspaceFolders":[{"uri":")" +
                   root + R"(","name":"x"}]})"),
            0);
  for (const std::string& uri :
       {root + "/..", root + "/%2e%2e", std::string("file:///etc"),
        std::string("file://localhost/etc"), std::string("/etc"), std::string("FILE:///etc")}) {
    EXPECT_EQ(starts(R"({"workspaceUri":")" + uri + "\"}"), rpc::permission_denied) << uri;
    EXPECT_EQ(starts(R"({"workspaceFolders":[{"uri":")" + uri + "\"}]}"), rpc::permission_denied);
  }
  EXPECT_EQ(starts(R"({"WorkspaceUri":"file:///etc"})"), rpc::invalid_params);
  EXPECT_EQ(starts(R"({"workspaceFolders":{"uri":"file:///etc"}})"), rpc::invalid_params);
}

TEST_F(ClientSessionsTest, AnAnswerWithASessionOpensIt) {
  sessions->answered(of("suggestions"));
  EXPECT_EQ(code_of([&] { sessions->require_own(of("suggestions")); }), 0);
  sessions->answered(*Json::parse(R"({"sessionId":7})"));
  sessions->answered(*Json::parse("[1]"));
  sessions->closed(of("suggestions"));
  EXPECT_EQ(code_of([&] { sessions->require_own(of("suggestions")); }), rpc::not_found);
}

TEST_F(ClientSessionsTest, AListHasWhatCouldBeOpened) {
  const Json result =
      *Json::parse(R"({"sessions":[{"sessionId":"in","cwd":")" + (folder / "root/inside").string() +
                   R"("},{"sessionId":"out","cwd":"/etc"}],"nextCursor":"c"})");
  const Json listed = sessions->listed(result);
  EXPECT_EQ(listed["sessions"].size(), 1u);
  EXPECT_EQ(listed["sessions"][0]["sessionId"].as_string(), "in");
  EXPECT_EQ(listed["nextCursor"].as_string(), "c");
  EXPECT_EQ(code_of([&] { sessions->require_listed(of("in")); }), 0);
  EXPECT_EQ(code_of([&] { sessions->require_own(of("in")); }), rpc::not_found);
  EXPECT_EQ(code_of([&] { sessions->require_listed(of("out")); }), rpc::not_found);
}

TEST_F(ClientSessionsTest, OfAnotherDirectoryAreNotOpened) {
  const auto asks = [&](const char* id) { return sessions->must_look_for(of(id)); };
  EXPECT_TRUE(asks("s"));  // it may follow initialize in one go
  for (const char* none : {"{}", R"({"agentCapabilities":{"sessionCapabilities":{"list":null}}})",
                           R"({"protocolVersion":2,"capabilities":{}})"}) {
    sessions->initialized(*Json::parse(none));
    EXPECT_FALSE(asks("s")) << none;
  }
  for (const char* lists : {R"({"agentCapabilities":{"sessionCapabilities":{"list":{}}}})",
                            R"({"protocolVersion":2,"capabilities":{"session":{}}})"}) {
    sessions->initialized(*Json::parse(lists));
    EXPECT_TRUE(asks("s")) << lists;
  }
  EXPECT_FALSE(sessions->must_look_for(*Json::parse("{}")));
  open("mine");
  EXPECT_FALSE(asks("mine"));
  const Json page =
      *Json::parse(R"({"sessions":[{"sessionId":"in","cwd":")" + (folder / "root/inside").string() +
                   R"("},{"sessionId":"out","cwd":"/etc"},{"sessionId":"odd"}]})");
  EXPECT_TRUE(sessions->found(of("in"), page));
  EXPECT_FALSE(sessions->found(of("other"), page));
  for (const char* id : {"out", "odd"})
    EXPECT_EQ(code_of([&] { sessions->found(of(id), page); }), rpc::permission_denied) << id;
  sessions->listed(page);
  EXPECT_FALSE(asks("in"));
  EXPECT_TRUE(asks("out"));
}

}  // namespace
}  // namespace acp::gateway
