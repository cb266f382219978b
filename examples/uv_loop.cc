// An agent's handlers on libuv's thread: the library reads and writes by itself, and what the
// program does happens where all its other work does.
#include <acp/agent.h>
#include <uv.h>

#include <mutex>

namespace {

// Functions from any thread, run by the loop in the order of their coming.
class UvExecutor : public acp::Executor {
 public:
  explicit UvExecutor(uv_loop_t* loop) {
    async_.data = this;
    uv_async_init(loop, &async_,
                  [](uv_async_t* async) { static_cast<UvExecutor*>(async->data)->run(); });
  }
  void post(std::function<void()> function) override {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(function));
    uv_async_send(&async_);
  }
  void stop() { uv_close(reinterpret_cast<uv_handle_t*>(&async_), nullptr); }

 private:
  void run() {
    std::vector<std::function<void()>> batch;
    {
      const std::lock_guard lock(mutex_);
      batch.swap(queue_);
    }
    for (auto& function : batch) function();
  }
  uv_async_t async_;
  std::mutex mutex_;
  std::vector<std::function<void()>> queue_;
};

}  // namespace

int main() {
  uv_loop_t* const loop = uv_default_loop();
  const auto executor = std::make_shared<UvExecutor>(loop);
  acp::Agent agent("uv", "1.0");
  agent.executor(executor).on_prompt([](acp::Turn turn) -> acp::Task<acp::StopReason> {
    co_await turn.say("from libuv's loop: " + turn.text());
    co_return acp::StopReason::end_turn;
  });
  acp::AgentConnection connection = agent.start(acp::stdio());
  // When the client is gone, the loop has nothing left to do.
  std::thread waiter([&] {
    connection.wait();
    executor->post([&] { executor->stop(); });
  });
  uv_run(loop, UV_RUN_DEFAULT);
  waiter.join();
}
