#include "report/json.hpp"

#include <cstring>

#include "base/os.hpp"

namespace fencepost::rt {

Record::Record(const char* type) {
    buffer_[used_++] = '{';
    text("type", type);
}

void Record::put(char c) {
    if (used_ < capacity - 1) buffer_[used_++] = c;
}

void Record::put(const char* text) {
    while (*text) put(*text++);
}

void Record::put_quoted(const char* text) {
    put('"');
    for (; *text && !is_full(8); ++text) {
        const unsigned char c = static_cast<unsigned char>(*text);
        if (c == '"' || c == '\\') {
            put('\\');
            put(*text);
        } else if (c < 0x20 || c >= 0x7f) {
            // Names of files need not be UTF-8: bytes pass as the characters with their numbers.
            constexpr char digits[] = "0123456789abcdef";
            put("\\u00");
            put(digits[c >> 4]);
            put(digits[c & 15]);
        } else {
            put(*text);
        }
    }
    put('"');
}

void Record::put_number(std::uint64_t value, unsigned base) {
    char digits[24];
    int count = 0;
    do digits[count++] = "0123456789abcdef"[value % base];
    while (value /= base);
    while (count) put(digits[--count]);
}

void Record::begin(const char* key) {
    if (!first_) put(", ");
    first_ = false;
    if (!key) return;
    put_quoted(key);
    put(": ");
}

Record& Record::text(const char* key, const char* value) {
    begin(key);
    put_quoted(value);
    return *this;
}

Record& Record::number(const char* key, std::uint64_t value) {
    begin(key);
    put_number(value, 10);
    return *this;
}

Record& Record::hex(const char* key, std::uint64_t value) {
    begin(key);
    put("\"0x");
    put_number(value, 16);
    put('"');
    return *this;
}

Record& Record::real(const char* key, double value) {
    begin(key);
    const std::uint64_t thousandths = static_cast<std::uint64_t>(value * 1000 + 0.5);
    put_number(thousandths / 1000, 10);
    put('.');
    for (unsigned digit = 100; digit; digit /= 10) put(static_cast<char>('0' + thousandths / digit % 10));
    return *this;
}

Record& Record::begin_object(const char* key) {
    begin(key);
    put('{');
    first_ = true;
    return *this;
}

Record& Record::end_object() {
    put('}');
    first_ = false;
    return *this;
}

Record& Record::begin_list(const char* key) {
    begin(key);
    put('[');
    first_ = true;
    return *this;
}

Record& Record::end_list() {
    put(']');
    first_ = false;
    return *this;
}

Record& Record::hex_element(std::uint64_t value) {
    begin(nullptr);
    put("\"0x");
    put_number(value, 16);
    put('"');
    return *this;
}

Record& Record::number_element(std::uint64_t value) {
    begin(nullptr);
    put_number(value, 10);
    return *this;
}

Record& Record::text_element(const char* value) {
    begin(nullptr);
    put_quoted(value);
    return *this;
}

void Record::write(int descriptor) {
    buffer_[used_++] = '}';
    buffer_[used_++] = '\n';
    write_all(descriptor, buffer_, used_);
}

}  // namespace fencepost::rt
