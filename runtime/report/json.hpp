// A record of the log, put together without memory from the program. What does not fit is left out, never the braces.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fencepost::rt {

class Record {
  public:
    explicit Record(const char* type);

    Record& text(const char* key, const char* value);
    Record& number(const char* key, std::uint64_t value);
    Record& hex(const char* key, std::uint64_t value);  // as a string
    Record& real(const char* key, double value);
    Record& begin_object(const char* key = nullptr);
    Record& end_object();
    Record& begin_list(const char* key = nullptr);
    Record& end_list();
    Record& hex_element(std::uint64_t value);
    Record& number_element(std::uint64_t value);
    Record& text_element(const char* value);

    void write(int descriptor);  // ends it, with one write

  private:
    static constexpr std::size_t capacity = 60000;
    static constexpr std::size_t reserve = 256;  // for what closes

    void put(char c);
    void put(const char* text);
    void put_quoted(const char* text);
    void put_number(std::uint64_t value, unsigned base);
    void begin(const char* key);
    bool is_full(std::size_t wanted) const { return used_ + wanted + reserve > capacity; }

    char buffer_[capacity];
    std::size_t used_ = 0;
    bool first_ = true;
};

}  // namespace fencepost::rt
