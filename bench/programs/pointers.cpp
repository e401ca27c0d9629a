// Trees that threads build, walk and free: functions, allocations, plain accesses.
#include "common.hpp"

struct Tree {
    Tree* left = nullptr;
    Tree* right = nullptr;
    unsigned key = 0;
};

static Tree* insert(Tree* tree, unsigned key) {
    if (!tree) {
        tree = new Tree();
        tree->key = key;
    } else if (key < tree->key) {
        tree->left = insert(tree->left, key);
    } else {
        tree->right = insert(tree->right, key);
    }
    return tree;
}

static long sum_of(const Tree* tree) { return tree ? tree->key + sum_of(tree->left) + sum_of(tree->right) : 0; }

static void free_tree(Tree* tree) {
    if (!tree) return;
    free_tree(tree->left);
    free_tree(tree->right);
    delete tree;
}

int main(int count, char** values) {
    arguments(count, values, 15000);
    in_threads([](unsigned i) {
        Random random(i + 1);
        for (int round = 0; round < 3; ++round) {
            Tree* tree = nullptr;
            for (long k = 0; k < size_wanted; ++k) tree = insert(tree, random.next());
            if (sum_of(tree) == 0) std::abort();
            free_tree(tree);
        }
    });
    return 0;
}
