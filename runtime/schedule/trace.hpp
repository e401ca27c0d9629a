// Schedules in files: recording the one that happens, and following one (format: PROTOCOL.md).
#pragma once

#include <cstddef>
#include <cstdint>

namespace fencepost::sched {

// Writes segments ("thread 1 for 12 steps") to a file, as they end. The file is mapped, so a crash loses nothing.
class Recorder {
  public:
    bool open(const char* path, const char* header);
    bool on() const { return data_ != nullptr; }
    void step(int thread, std::uint64_t hash);  // `hash` of all that was done before this step
    void choice(int value);
    void finish(std::uint64_t hash, const char* status);

  private:
    void flush(std::uint64_t hash);
    void text(const char* characters);
    void number(std::uint64_t value, unsigned base = 10);
    void put(char character);
    void close();

    int file_ = -1;
    char* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
    int thread_ = -1;
    std::uint64_t steps_ = 0;
};

// Reads them back.
class Replayer {
  public:
    struct Segment {
        int thread;
        std::uint64_t steps;
        std::uint64_t hash;
        bool checked;  // there is a hash, of everything up to the end of this segment
    };

    // Returns a message if the file cannot be read, else null.
    const char* open(const char* path);
    bool over() const { return next_ >= count_ && left_ == 0; }
    bool complete() const { return complete_; }  // the recorded run came to its end

    // The thread of the next step; -1 when the recorded part is over. `skip_segment`: it cannot go on (lenient
    // replays).
    int next() const;
    void skip_segment();

    // A step of `next()` is taken. Returns false if the hash shows that this is another run than the recorded one.
    bool take(std::uint64_t hash_before, bool check);
    bool choice(int* value);
    std::uint64_t final_hash() const { return final_hash_; }

  private:
    bool parse(const char* text, std::size_t size);

    Segment* segments_ = nullptr;
    std::size_t count_ = 0;
    std::size_t next_ = 0;  // the segment being followed is next_ - 1 while left_ > 0
    std::uint64_t left_ = 0;
    std::uint64_t expected_ = 0;  // hash at the end of the segment before
    bool expects_ = false;
    int* choices_ = nullptr;
    std::size_t choice_count_ = 0;
    std::size_t next_choice_ = 0;
    bool complete_ = false;
    std::uint64_t final_hash_ = 0;
};

}  // namespace fencepost::sched
