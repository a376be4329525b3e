// Runs the threads of a launch as fibers on one thread of the host.
//
// A fiber runs until it has to wait for others, or until chance stops it. Blocks take turns: each goes as far as it can
// on its own, so that one may be a whole step ahead of the others wherever nothing holds it back. Which block and which
// thread come next is drawn from a seed. When all fibers wait, the launch has gone wrong, and says so.

#undef _FORTIFY_SOURCE  // it takes jumps between stacks for mistakes

#include "cuda_on_host.hpp"

#include <link.h>
#include <setjmp.h>
#include <ucontext.h>

#include <chrono>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace on_host {

// Where fibers meet; what they bring is kept twice, since the fastest may be at the next meeting already.
struct Meeting {
    unsigned size = 0, here = 0, times = 0;
    std::uint64_t brought[2][1024];
};

namespace {

constexpr std::size_t STACK = 64 * 1024;
constexpr long long MOST_TURNS = 40'000'000;  // of a launch: more is taken for waiting for ever

struct Fiber : Thread {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    Meeting *awaited = nullptr;
    unsigned met = 0;
    bool begun = false, done = false, spins = false;
    jmp_buf left;  // where it goes on: swapcontext would ask the system at each turn
};

struct Block {
    std::vector<Fiber *> fibers;
    Meeting all;
    unsigned threads = 0;
    std::map<std::pair<unsigned, std::uint64_t>, Meeting> warps;  // of the threads in a mask, by warp and mask
    std::vector<char> cells;  // its own memory, while another block runs
};

Block *block_now = nullptr;
jmp_buf scheduler;
std::mt19937 chance;
bool waits_for_peer = false;

// What every thread of the launch calls.
void (*called)(void *);
void *argument;

Fiber &fiber() { return *static_cast<Fiber *>(now); }

[[gnu::noinline]] void leave() {
    if (_setjmp(fiber().left) == 0) _longjmp(scheduler, 1);
}

[[gnu::noinline]] void go_on(Fiber &next) {
    now = &next;
    if (_setjmp(scheduler) != 0) return;
    if (next.begun) _longjmp(next.left, 1);
    next.begun = true;
    setcontext(&next.context);
}

struct Cells {
    char *begin = nullptr;
    std::size_t size = 0;
};

// Where the memory of blocks is.
Cells cells_of_a_block() {
    static Cells found;
    first_cell = 1;  // so that they are there
    dl_iterate_phdr([](dl_phdr_info *info, std::size_t, void *) {
        for (int i = 0; i < info->dlpi_phnum; i++) {
            char *begin = static_cast<char *>(info->dlpi_tls_data), *cell = reinterpret_cast<char *>(&first_cell);
            const std::size_t size = info->dlpi_phdr[i].p_memsz;
            if (info->dlpi_phdr[i].p_type == PT_TLS && begin != nullptr && begin <= cell && cell < begin + size) {
                found = {begin, size};
            }
        }
        return 0;
    }, nullptr);
    return found;
}

// What all fibers of a launch meet at, and where the memory of its blocks is: here for the one that runs.
Meeting all_blocks;
std::vector<Block> *blocks_of_launch = nullptr;
Cells running;

}  // namespace

int *in_block(int *cell, unsigned block) {
    if (&(*blocks_of_launch)[block] == block_now) return cell;
    return reinterpret_cast<int *>((*blocks_of_launch)[block].cells.data() + (reinterpret_cast<char *>(cell) - running.begin));
}

std::uint64_t nanoseconds() {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

void perhaps() {
    if (chance() % 8 == 0) leave();
}

void spin() {
    fiber().spins = true;
    leave();
    fiber().spins = false;
}

void wait_for_peer() {
    waits_for_peer = true;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    spin();
}

std::uint64_t *meet(Meeting &meeting, unsigned rank, std::uint64_t value) {
    const unsigned times = meeting.times;
    meeting.brought[times % 2][rank] = value;
    if (++meeting.here == meeting.size) {
        meeting.here = 0;
        meeting.times++;
    } else {
        fiber().awaited = &meeting;
        fiber().met = times;
        leave();
        fiber().awaited = nullptr;
    }
    perhaps();
    return meeting.brought[times % 2];
}

void meet_all() { meet(all_blocks, now->block.x * block_size.x + now->thread.x, 0); }

Meeting &of_block() { return block_now->all; }

Meeting &of_warp(std::uint64_t mask) {
    const unsigned number = now->thread.x / WARP, there = std::min(WARP, block_now->threads - number * WARP);
    mask &= ~std::uint64_t(0) >> (64 - there);
    if ((mask >> lane() & 1) == 0) wrong = "a thread is not in its own mask";
    Meeting &meeting = block_now->warps[{number, mask}];
    meeting.size = __builtin_popcountll(mask);
    return meeting;
}

void launch(unsigned blocks, unsigned threads, unsigned seed, void (*kernel)(void *), void *given) {
    called = kernel;
    argument = given;
    chance.seed(seed);
    grid_size = {blocks};
    block_size = {threads};
    wrong = nullptr;
    running = cells_of_a_block();
    const auto [cells, own] = running;
    std::vector<Fiber> fibers(blocks * threads);
    std::vector<Block> all(blocks);
    blocks_of_launch = &all;
    all_blocks.size = blocks * threads;
    all_blocks.here = 0;
    for (unsigned b = 0; b < blocks; b++) {
        Block &block = all[b];
        block.all.size = threads;
        block.threads = threads;
        block.cells.resize(own);
        for (char &cell : block.cells) cell = char(chance());  // nobody has written there yet
        for (unsigned t = 0; t < threads; t++) {
            Fiber &fiber = fibers[b * threads + t];
            fiber.thread = {t};
            fiber.block = {b};
            fiber.stack.reset(new char[STACK]);
            getcontext(&fiber.context);
            fiber.context.uc_stack.ss_sp = fiber.stack.get();
            fiber.context.uc_stack.ss_size = STACK;
            fiber.context.uc_link = nullptr;
            makecontext(&fiber.context, static_cast<void (*)()>([] {
                called(argument);
                static_cast<Fiber *>(now)->done = true;
                leave();
            }), 0);
            block.fibers.push_back(&fiber);
        }
    }
    std::size_t left = fibers.size();
    long long turns = 0;
    unsigned stuck = 0;
    while (left > 0 && wrong == nullptr) {
        Block &block = all[chance() % blocks];
        block_now = &block;
        std::memcpy(cells, block.cells.data(), own);
        bool moved = false;
        for (unsigned patience = chance() % 64 == 0 ? 1 : ~0u; patience > 0; patience--) {
            std::vector<Fiber *> ready, spinning;
            for (Fiber *fiber : block.fibers) {
                if (fiber->done || (fiber->awaited != nullptr && fiber->awaited->times == fiber->met)) continue;
                (fiber->spins ? spinning : ready).push_back(fiber);
            }
            const bool alone = ready.empty();
            if (alone) ready = spinning;
            for (std::size_t i = ready.size(); i > 1; i--) std::swap(ready[i - 1], ready[chance() % i]);
            for (Fiber *fiber : ready) {
                if (fiber->done || (fiber->awaited != nullptr && fiber->awaited->times == fiber->met)) continue;
                turns++;
                go_on(*fiber);
                moved |= !fiber->spins;
                left -= fiber->done;
            }
            if (alone) break;
        }
        std::memcpy(block.cells.data(), cells, own);
        stuck = moved || waits_for_peer ? 0 : stuck + 1;
        waits_for_peer = false;
        if (stuck > 200 * blocks) wrong = "threads wait for others that never come";
        if (turns > MOST_TURNS) wrong = "the launch does not end";
    }
}

}  // namespace on_host
