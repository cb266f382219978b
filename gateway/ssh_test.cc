#include "gateway/ssh.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace acp::gateway {

namespace {

using Kind = io::ExitStatus::Kind;

std::string said(const std::string& stderr_text, int code = 255, bool reached = false,
                 const std::string& problem = "") {
  SshOptions options{"box"};
  options.cwd = "src";
  return describe(options, {reached, problem, io::ExitStatus{Kind::exited, code}, stderr_text});
}

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST(Ssh, EachFailureHasItsMessage) {
  EXPECT_TRUE(has(said("me@box: Permission denied (publickey,password).\r\n"),
                  "box refused the login (me@box: Permission denied (publickey,password)). ssh "
                  "cannot ask for a password"));
  EXPECT_TRUE(has(said("No ED25519 host key is known for box and you have requested strict "
                       "checking.\r\nHost key verification failed.\r\n"),
                  "this machine does not know the key of box"));
  EXPECT_TRUE(has(said("@@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @@\nHost key "
                       "verification failed.\n"),
                  "is not the one that this machine knows"));
  EXPECT_EQ(said("ssh: Could not resolve hostname box: Name or service not known\r\n"),
            "box cannot be reached (ssh: Could not resolve hostname box: Name or service not "
            "known)");
  EXPECT_EQ(said("ssh: connect to host box port 22: Connection refused\r\n"),
            "box cannot be reached (ssh: connect to host box port 22: Connection refused)");
  EXPECT_EQ(said("command-line: line 0: Bad configuration option: nonsense\r\n"),
            "ssh to box failed (command-line: line 0: Bad configuration option: nonsense)");
  EXPECT_TRUE(has(said("", 127, false, "no-program"), "box has no program acp in the PATH"));
  EXPECT_EQ(said("sh: 1: cd: can't cd to src", 1, false, "no-directory"),
            "there is no directory src on box");
  EXPECT_EQ(said("a word of the agent\nConnection to box closed by remote host.\r\n", 255, true),
            "the ssh connection to box broke (Connection to box closed by remote host)");
  EXPECT_EQ(said("", 3, true), "the agent on box exited with code 3");
}

TEST(Ssh, ItsCommandAsksNothingAndQuotesForAnyShell) {
  SshOptions options{"me@box", {"Port=2222", "BatchMode=no"}, {"/opt/my agent", "it's", "$HOME"}};
  const std::vector<std::string> argv = ssh_command(options);
  EXPECT_EQ(argv[0], "ssh");
  const auto at = [&](const std::string& word) {
    return std::find(argv.begin(), argv.end(), word) - argv.begin();
  };
  // The first value counts: the user's.
  EXPECT_LT(at("BatchMode=no"), at("BatchMode=yes"));
  EXPECT_LT(at("BatchMode=yes"), at("--"));
  EXPECT_EQ(argv[static_cast<std::size_t>(at("--") + 1)], "me@box");
  EXPECT_EQ(at("me@box") + 2, static_cast<std::ptrdiff_t>(argv.size()));
  EXPECT_TRUE(argv.back().ends_with(R"( sh '' '/opt/my agent' 'it'\''s' '$HOME')")) << argv.back();
}

TEST(Ssh, WhatTheStartFilesOfTheShellPrintIsNotTheAgents) {
  SshLink link({"box"});
  EXPECT_TRUE(link.takes("Welcome to box!"));
  EXPECT_TRUE(link.takes(""));
  EXPECT_TRUE(link.takes("acp-ssh: directory /home/me"));
  EXPECT_EQ(link.directory(), "/home/me");
  EXPECT_FALSE(link.takes("acp-ssh: directory /elsewhere"));
  EXPECT_FALSE(link.takes("{}"));
}

}  // namespace acp::gateway
