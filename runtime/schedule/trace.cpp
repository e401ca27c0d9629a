#include "trace.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "pages.hpp"

namespace fencepost::sched {

namespace {

constexpr char magic[] = "fencepost-schedule 1\n";
constexpr std::size_t first_capacity = std::size_t{1} << 16;
constexpr std::size_t longest_line = 96;
constexpr std::size_t most = std::size_t{1} << 30;  // mapped at once; the file grows into it

}  // namespace

bool Recorder::open(const char* path, const char* header) {
    file_ = ::open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) return false;
    capacity_ = first_capacity;
    if (ftruncate(file_, static_cast<off_t>(capacity_)) != 0) return false;
    void* memory = mmap(far_away(most), most, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
    if (memory == MAP_FAILED) return false;
    data_ = static_cast<char*>(memory);
    text(magic);
    text(header);
    return true;
}

void Recorder::put(char character) {
    if (data_ == nullptr) return;
    if (size_ + longest_line > capacity_) {
        capacity_ *= 2;
        if (capacity_ > most || ftruncate(file_, static_cast<off_t>(capacity_)) != 0) {
            close();  // a full disk: what there is stays, and lacks its end line
            return;
        }
    }
    data_[size_++] = character;
}

void Recorder::text(const char* characters) {
    for (; *characters != 0; ++characters) put(*characters);
}

void Recorder::number(std::uint64_t value, unsigned base) {
    char digits[24];
    int count = 0;
    do {
        digits[count++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    while (count > 0) put(digits[--count]);
}

void Recorder::step(int thread, std::uint64_t hash) {
    if (thread != thread_) flush(hash);
    thread_ = thread;
    ++steps_;
}

void Recorder::flush(std::uint64_t hash) {
    if (steps_ == 0) return;
    number(static_cast<std::uint64_t>(thread_));
    put(' ');
    number(steps_);
    put(' ');
    number(hash, 16);
    put('\n');
    steps_ = 0;
}

void Recorder::choice(int value) {
    text("? ");
    number(static_cast<std::uint64_t>(value));
    put('\n');
}

void Recorder::finish(std::uint64_t hash, const char* status) {
    if (data_ == nullptr) return;
    flush(hash);
    text("end ");
    text(status);
    put(' ');
    number(hash, 16);
    put('\n');
    if (data_ == nullptr) return;
    // Else what is left is zeros up to the capacity, which readers skip.
    if (ftruncate(file_, static_cast<off_t>(size_)) == 0) capacity_ = size_;
    close();
}

void Recorder::close() {
    munmap(data_, most);
    data_ = nullptr;
    ::close(file_);
    file_ = -1;
}

const char* Replayer::open(const char* path) {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return "the schedule to replay cannot be read";
    struct stat information;
    const bool known = fstat(file, &information) == 0 && information.st_size > 0;
    const auto size = known ? static_cast<std::size_t>(information.st_size) : 0;
    void* memory = known ? mmap(far_away(size), size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    ::close(file);
    if (memory == MAP_FAILED) return "the schedule to replay is empty";
    const bool good = parse(static_cast<const char*>(memory), size);
    munmap(memory, size);
    return good ? nullptr : "the schedule to replay is not one that fencepost has recorded";
}

bool Replayer::parse(const char* text, std::size_t size) {
    const std::size_t header = sizeof magic - 1;
    if (size < header || memcmp(text, magic, header) != 0) return false;
    segments_ = pages<Segment>(size / 4 + 1);  // the shortest line has four characters
    choices_ = pages<int>(size / 4 + 1);
    if (segments_ == nullptr || choices_ == nullptr) return false;
    const char* at = text + header;
    const char* const end = text + size;
    const auto digit = [&](unsigned base) -> int {
        if (at == end) return -1;
        const char c = *at;
        const int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
        return value < static_cast<int>(base) ? value : -1;
    };
    const auto read = [&](std::uint64_t* value, unsigned base) {
        if (digit(base) < 0) return false;
        for (*value = 0; digit(base) >= 0; ++at) *value = *value * base + static_cast<std::uint64_t>(digit(base));
        return true;
    };
    const auto skip = [&](char wanted) { return at != end && *at == wanted && (++at, true); };
    while (at != end && *at != 0) {
        if (*at == '#' || *at == '\n') {
            while (at != end && *at != '\n') ++at;
            skip('\n');
        } else if (*at == '?') {
            ++at;
            std::uint64_t value = 0;
            if (!skip(' ') || !read(&value, 10) || !skip('\n')) return false;
            choices_[choice_count_++] = static_cast<int>(value);
        } else if (*at == 'e') {
            while (at != end && *at != '\n' && *at != ' ') ++at;  // end
            if (!skip(' ')) return false;
            while (at != end && *at != '\n' && *at != ' ') ++at;  // its status
            if (!skip(' ') || !read(&final_hash_, 16)) return false;
            complete_ = true;
            return true;
        } else {
            Segment& segment = segments_[count_];
            std::uint64_t thread = 0;
            if (!read(&thread, 10) || !skip(' ') || !read(&segment.steps, 10) || segment.steps == 0) return false;
            segment.thread = static_cast<int>(thread);
            segment.checked = skip(' ');
            if (segment.checked && !read(&segment.hash, 16)) return false;
            if (!skip('\n')) return false;
            ++count_;
        }
    }
    return true;
}

int Replayer::next() const {
    if (left_ > 0) return segments_[next_ - 1].thread;
    return next_ < count_ ? segments_[next_].thread : -1;
}

void Replayer::skip_segment() {
    if (left_ > 0) {
        left_ = 0;
    } else if (next_ < count_) {
        ++next_;
    }
    expects_ = false;
}

bool Replayer::take(std::uint64_t hash_before, bool check) {
    bool same = true;
    if (left_ == 0) {
        same = !(check && expects_) || expected_ == hash_before;
        const Segment& segment = segments_[next_++];
        left_ = segment.steps;
        expects_ = segment.checked;
        expected_ = segment.hash;
    }
    --left_;
    return same;
}

bool Replayer::choice(int* value) {
    if (next_choice_ == choice_count_) return false;
    *value = choices_[next_choice_++];
    return true;
}

}  // namespace fencepost::sched
