// Times several ways to do one thing, side by side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace bench {

// What the compiler must not throw away.
template <class T>
inline void keep(T&& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

inline double cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Contender {
  std::string name;
  std::function<void()> run;
  std::vector<double> ns = {};  // one for each round
};

// Every contender runs for about `slice` nanoseconds in each round, one after the other, so that
// whatever else the machine does meets all of them alike. CPU time: waiting for a core does not
// count.
inline void measure(std::vector<Contender>& contenders, int rounds, double slice = 2e6) {
  std::vector<std::size_t> times;
  for (Contender& contender : contenders) {  // warms up, too
    std::size_t count = 0;
    const double start = cpu_ns();
    do {
      contender.run();
      ++count;
    } while (cpu_ns() - start < slice);
    times.push_back(count);
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const double start = cpu_ns();
      for (std::size_t n = 0; n < times[i]; ++n) contenders[i].run();
      contenders[i].ns.push_back((cpu_ns() - start) / static_cast<double>(times[i]));
    }
  }
}

// How many times the other's time this one needs: the median over the rounds, each compared with
// itself.
inline double ratio(const Contender& one, const Contender& other) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < one.ns.size(); ++i) ratios.push_back(one.ns[i] / other.ns[i]);
  return median(ratios);
}

}  // namespace bench
