#include "settings/own_places.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>

namespace acp::settings {
namespace {

bool has(const std::vector<std::string>& places, const std::string& place) {
  return std::find(places.begin(), places.end(), place) != places.end();
}

TEST(OwnPlaces, TheDirectoriesOfTheEnvironmentAndOfTheHome) {
  setenv("HOME", "/h", 1);
  setenv("XDG_CONFIG_HOME", "/c", 1);
  setenv("XDG_DATA_HOME", "relative", 1);
  unsetenv("XDG_STATE_HOME");
  const auto places = own_places();
  for (const char* place :
       {"/c/acp", "/h/.config/acp", "/h/.local/share/acp", "/h/.local/state/acp"})
    EXPECT_TRUE(has(places, place)) << place;
  EXPECT_EQ(places.size(), 4u);
  unsetenv("HOME");
  EXPECT_EQ(own_places(), std::vector<std::string>{"/c/acp"});
}

TEST(OwnPlaces, FilesWithWhatIsBesideThem) {
  const auto places = own_places({"/x/keys.toml", "", "/x/sessions.db"});
  for (const char* place : {"/x/keys.toml", "/x/keys.toml.lock", "/x/sessions.db",
                            "/x/sessions.db-wal", "/x/sessions.db-shm"})
    EXPECT_TRUE(has(places, place)) << place;
  EXPECT_FALSE(has(places, "/x"));
  EXPECT_FALSE(has(places, ".lock"));
}

TEST(OwnPlaces, ThoseOfTheOneWhoStartsUs) {
  setenv("ACP_FORBIDDEN", "/x/server token\n/y/key.pem", 1);
  const auto places = own_places();
  unsetenv("ACP_FORBIDDEN");
  EXPECT_TRUE(has(places, "/x/server token"));
  EXPECT_TRUE(has(places, "/y/key.pem"));
  EXPECT_FALSE(has(own_places(), "/y/key.pem"));
}

}  // namespace
}  // namespace acp::settings
