// A model that is served over HTTP.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "acp/http/transfers.h"
#include "coder/model/model.h"
#include "settings/settings.h"

namespace acp::coder {

struct HttpModelLimits {
  std::chrono::milliseconds connect_time{10'000};
  std::chrono::milliseconds silence{300'000};    // no byte for so long: nobody there any more
  std::chrono::milliseconds content{1'800'000};  // nothing said for so long, though bytes come
  // Least time between Pauses: a Pause costs more than the pieces of text themselves. A stream is
  // read twice in that time, so nothing is shown later than 1.5 times it.
  std::chrono::milliseconds gather{40};
  std::size_t event_bytes = 16 * 1024 * 1024;  // of one event in the stream
  std::size_t error_bytes = 64 * 1024;         // of an answer that is no stream
};

// Several threads may ask it at once. Connections are kept for the next request.
class HttpModel : public Model {
 public:
  // `name` is the provider's name of the model. The key goes to the provider's origin and nowhere
  // else.
  HttpModel(settings::ProviderSettings provider, std::string name, std::optional<std::string> key,
            ModelInfo info, HttpModelLimits limits = {});
  ~HttpModel() override;

  const ModelInfo& info() const override { return info_; }
  void answer(const ModelRequest& request, const OnModelEvent& on_event,
              std::stop_token stop) override;

 private:
  class Call;
  class Pace;
  void run(const ModelRequest& request, Call& call, const std::stop_token& stop);
  // Returns false if the connection stays open after the end of the answer.
  bool wait_for_end(http::Transfers& client, Call& call, const std::stop_token& stop) const;
  http::Transfers::Request http_request(const ModelRequest& request) const;
  // A provider's message, without the key.
  std::string cleaned(std::string text, std::size_t most) const;
  std::unique_ptr<http::Transfers> take_client();
  void give_back(std::unique_ptr<http::Transfers> client);

  const settings::ProviderSettings provider_;
  const std::string name_;
  const std::optional<std::string> key_;
  const ModelInfo info_;
  const HttpModelLimits limits_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<http::Transfers>> idle_;
};

}  // namespace acp::coder
