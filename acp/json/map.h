// A JSON object as a map: keys keep the order in which they came, since a form is drawn in that
// order.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace acp {

// A JSON object whose values are of one type. Keeps the order.
template <class T>
class Map {
 public:
  // A key and its value.
  using value_type = std::pair<std::string, T>;

  Map() = default;
  Map(std::initializer_list<value_type> items) {
    for (const value_type& item : items) (*this)[item.first] = item.second;
  }

  // As a sequence of keys and values.
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }

  // Null if there is none.
  const T* find(std::string_view key) const {
    for (const value_type& item : items_)
      if (item.first == key) return &item.second;
    return nullptr;
  }
  // The same, to be changed; and whether there is one.
  T* find(std::string_view key) { return const_cast<T*>(std::as_const(*this).find(key)); }
  bool contains(std::string_view key) const { return find(key) != nullptr; }

  // The value under the key, made if it is not there.
  T& operator[](std::string_view key) {
    if (T* found = find(key)) return *found;
    return items_.emplace_back(std::string(key), T()).second;
  }
  // For readers that have ruled out, or will repair, a second use of the key.
  T& append(std::string_view key) { return items_.emplace_back(std::string(key), T()).second; }
  // Nothing happens if there is none.
  void erase(std::string_view key) {
    std::erase_if(items_, [&](const value_type& item) { return item.first == key; });
  }
  // Empty again.
  void clear() { items_.clear(); }

  // Order does not count.
  friend bool operator==(const Map& a, const Map& b) {
    if (a.size() != b.size()) return false;
    for (const value_type& item : a) {
      const T* other = b.find(item.first);
      if (!other || !(*other == item.second)) return false;
    }
    return true;
  }

 private:
  std::vector<value_type> items_;
};

}  // namespace acp
