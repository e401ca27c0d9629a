// boost::lockfree::stack (libboost-dev).
#include <boost/lockfree/stack.hpp>

#include "stress.hpp"

int main(int count, char **words) {
  boost::lockfree::stack<int, boost::lockfree::capacity<64>> stack;
  return stress(
      load_from(count, words), [&](int item, int) { return stack.push(item); },
      [&](int &item, int) { return stack.pop(item); });
}
