// Blocks of memory of the tool itself, by size classes: a block that is given back serves again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/os.hpp"

namespace fencepost::rt {

class Pool {
  public:
    static constexpr std::size_t smallest = 64;

    // The size that a block wanted with `bytes` really has.
    static std::size_t rounded(std::size_t bytes) {
        std::size_t size = smallest;
        while (size < bytes) size = size % 3 == 0 ? size / 3 * 4 : size / 2 * 3;  // 64 96 128 192 256 ...
        return size;
    }

    // Not zeroed. `bytes` as given by `rounded`.
    void* take(std::size_t bytes) {
        Class& of = classes_[class_of(bytes)];
        const Guard guard(of.lock);
        if (Block* const block = of.free) {
            of.free = block->next;
            return block;
        }
        return allocate_forever(bytes, "records of memory accesses");
    }

    void give(void* memory, std::size_t bytes) {
        Class& of = classes_[class_of(bytes)];
        Block* const block = static_cast<Block*>(memory);
        const Guard guard(of.lock);
        block->next = of.free;
        of.free = block;
    }

  private:
    struct Block {
        Block* next;
    };
    struct alignas(64) Class {
        SpinLock lock;
        Block* free = nullptr;
    };

    static unsigned class_of(std::size_t bytes) {
        unsigned index = 0;
        for (std::size_t size = smallest; size < bytes; size = size % 3 == 0 ? size / 3 * 4 : size / 2 * 3) ++index;
        return index;
    }

    Class classes_[48];
};

extern Pool pool;

}  // namespace fencepost::rt
