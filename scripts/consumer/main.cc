#include <acp/json/codec.h>
#include <acp/json/json.h>
#include <acp/schema/v1.h>

#include <iostream>

int main() {
  const auto parsed = acp::Json::parse(R"({"sizes": [41, 42]})");
  if (!parsed) return 1;
  std::cout << (*parsed)["sizes"][1].as_int64().value_or(0) << '\n';

  const acp::v1::TextContent content{.text = "hi"};
  std::cout << acp::json::encode(content) << '\n';

  const auto refused = acp::json::decode<acp::v1::TextContent>(R"({"text": 1})");
  std::cout << (refused ? "accepted" : refused.error().path) << '\n';
}
