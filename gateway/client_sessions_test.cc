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
    return code_of([&] { ClientSessions::Opening(*sessions, params, named); });
  }
  void open(const char* id) {
    ClientSessions::Opening opening(*sessions, params(), false);
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
    ClientSessions::Opening loading(*sessions, params(R"(,"sessionId":"two")"), true);
    EXPECT_EQ(own("two"), 0);  // what follows in one go
  }
  EXPECT_EQ(own("two"), rpc::not_found);  // it could not be loaded
  sessions->closed(of("one"));
  EXPECT_EQ(own("one"), rpc::not_found);
  EXPECT_EQ(code_of([&] { sessions->require_own(*Json::parse(R"({"other":1})")); }), 0);
}

TEST_F(ClientSessionsTest, HaveALimit) {
  open("one");
  open("two");
  EXPECT_EQ(opens(params()), rpc::permission_denied);
  EXPECT_EQ(opens(params(R"(,"sessionId":"two")"), true), 0);  // it is open
  sessions->closed(of("one"));
  EXPECT_EQ(opens(params()), 0);
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

}  // namespace
}  // namespace acp::gateway
