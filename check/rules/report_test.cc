#include "check/rules/report.h"

#include <gtest/gtest.h>

#include <sstream>

#include "acp/json/json.h"

namespace acp::check {
namespace {

const Requirement must{"A-INIT-1", Side::agent, Level::must, "Says <hello>.", "https://x/init"};
const Requirement should{"A-INIT-2", Side::agent, Level::should, "Says its name.", "https://x/i"};
const Requirement other{"A-TURN-1", Side::agent, Level::must, "Ends.", "https://x/turn"};

Report three() { return Report({&must, &should, &other}); }

TEST(Report, OneFailureFailsAndWhatNobodySpokeOfIsSkipped) {
  Report report = three();
  report.pass("A-INIT-1");
  report.fail("A-INIT-1", "it said nothing");
  report.pass("A-INIT-1");
  report.skip("A-INIT-2", "no name to say");
  report.pass("A-INIT-2");
  report.pass("A-ELSE-1");
  const auto results = report.results();
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].status, Status::fail);
  EXPECT_EQ(results[0].message, "it said nothing");
  EXPECT_EQ(results[1].status, Status::pass);
  EXPECT_EQ(results[2].status, Status::skip);
  EXPECT_EQ(results[2].message, "not reached");
}

TEST(Report, OnlyAFailureAtMustDecidesTheExitCode) {
  Report report = three();
  report.fail("A-INIT-2", "nameless");
  EXPECT_EQ(report.exit_code(), 0);
  report.fail("A-TURN-1", "endless");
  EXPECT_EQ(report.exit_code(), 1);
}

TEST(Report, RepeatedEvidenceIsKeptOnceAndMuchOfItCounted) {
  Report report = three();
  for (const char* seen : {"a", "a", "b", "c", "d", "e"}) report.fail("A-INIT-1", seen);
  EXPECT_EQ(report.results()[0].message, "a\nb\nc\n… and 2 more");
}

TEST(Report, JsonHoldsTheResultAndTheRequirement) {
  Report report = three();
  report.pass("A-INIT-1");
  report.fail("A-TURN-1", "a \"b\"\n\xff");
  std::ostringstream out;
  write_json(out, report);
  const auto json = Json::parse(out.str());
  ASSERT_TRUE(json);
  const JsonView results = json->view()["results"];
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(
      results[0].text(),
      R"({"id":"A-INIT-1","level":"must","status":"pass","message":"","text":"Says <hello>.","page":"https://x/init"})");
  EXPECT_EQ(results[1]["message"].as_string(), "not reached");
  EXPECT_EQ(json->view()["summary"]["fail"].as_int64(), 1);
  EXPECT_EQ(json->view()["summary"]["must"]["fail"].as_int64(), 1);
  EXPECT_EQ(json->view()["summary"]["should"]["skip"].as_int64(), 1);
}

TEST(Report, TextGroupsByAreaAndShowsEvidenceAndPage) {
  Report report = three();
  report.pass("A-INIT-1");
  report.fail("A-TURN-1", "endless");
  std::ostringstream out;
  write_text(out, report, false);
  EXPECT_EQ(out.str(),
            "Initialization\n"
            "  pass  A-INIT-1      must    Says <hello>.\n"
            "  skip  A-INIT-2      should  Says its name.\n"
            "\nPrompt turns\n"
            "  fail  A-TURN-1      must    Ends.\n"
            "        endless\n"
            "        see https://x/turn\n"
            "\n1 passed, 1 failed (1 at must), 1 skipped\n");
}

TEST(Report, TheSumSaysWhatATimeOutIs) {
  Report report = three();
  report.fail("A-INIT-1", "initialize got nothing in time");
  report.fail("A-INIT-2", "not this");
  const auto last_line = [&] {
    std::ostringstream out;
    write_text(out, report, false);
    const std::string text = out.str();
    return text.substr(text.rfind('\n', text.size() - 2) + 1);
  };
  EXPECT_EQ(last_line(), "1 finding is a time-out: try a longer --timeout\n");
  report.fail("A-TURN-1", "still running when the time was over");
  EXPECT_EQ(last_line(), "2 findings are time-outs: try a longer --timeout\n");
}

TEST(Report, AfterGivingUpNothingHasPassedAndTheSumSaysWhy) {
  Report report = three();
  report.pass("A-INIT-2");
  report.fail("A-TURN-1", "endless");
  report.give_up("nobody is there");
  EXPECT_EQ(report.results()[1].status, Status::skip);
  EXPECT_EQ(report.results()[1].message, "nobody is there");
  std::ostringstream out;
  write_text(out, report, false);
  EXPECT_EQ(out.str(),
            "Prompt turns\n"
            "  fail  A-TURN-1      must    Ends.\n"
            "        endless\n"
            "        see https://x/turn\n"
            "\nNothing could be checked: nobody is there\n"
            "0 passed, 1 failed (1 at must), 2 skipped\n");
}

TEST(Report, JunitEscapesAndCounts) {
  Report report = three();
  report.pass("A-INIT-1");
  report.fail("A-TURN-1", "a < b & \x01");
  std::ostringstream out;
  write_junit(out, report, "acp");
  EXPECT_NE(out.str().find("A-INIT-1: Says &lt;hello&gt;.\"/>"), std::string::npos);
  EXPECT_NE(out.str().find("<failure type=\"must\" message=\"a &lt; b &amp; ␁\">"),
            std::string::npos);
  EXPECT_NE(out.str().find("tests=\"3\" failures=\"1\" skipped=\"1\""), std::string::npos);
}

}  // namespace
}  // namespace acp::check
