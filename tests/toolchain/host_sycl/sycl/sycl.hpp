// As much of SYCL 2020 as emitted code asks for, on the host: every work-item is a group of its own on one thread, but
// where groups share memory their work-items are threads that wait for each other. With it any C++ compiler stands in for
// a compiler of whole SYCL programs.
#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace sycl {

enum class memory_order { relaxed, acquire, release, acq_rel, seq_cst };
enum class memory_scope { work_item, device };
namespace access { enum class address_space { global_space }; }
enum class aspect { usm_device_allocations, fp64, atomic64, none };
#ifndef LACKING
#define LACKING none  // the aspect that the device has not
#endif

inline void atomic_fence(memory_order, memory_scope) {}

inline std::mutex atomics;

template <class T, memory_order, memory_scope, access::address_space>
class atomic_ref {
public:
    explicit atomic_ref(T &cell) : cell(cell) {}

    T load() const { return change([](T old) { return old; }); }
    void store(T value) const { exchange(value); }
    T exchange(T value) const { return change([&](T) { return value; }); }
    T fetch_add(T value) const { return change([&](T old) { return T(old + value); }); }
    T fetch_and(T value) const { return change([&](T old) { return T(old & value); }); }
    T fetch_or(T value) const { return change([&](T old) { return T(old | value); }); }
    T fetch_xor(T value) const { return change([&](T old) { return T(old ^ value); }); }
    T fetch_min(T value) const { return change([&](T old) { return std::min(old, value); }); }
    T fetch_max(T value) const { return change([&](T old) { return std::max(old, value); }); }

    bool compare_exchange_weak(T &expected, T value) const { return compare_exchange_strong(expected, value); }

    bool compare_exchange_strong(T &expected, T value) const {
        const std::lock_guard<std::mutex> lock(atomics);
        if (std::memcmp(&cell, &expected, sizeof cell) == 0) {
            cell = value;
            return true;
        }
        expected = cell;
        return false;
    }

private:
    T &cell;

    template <class Action>
    T change(Action action) const {
        const std::lock_guard<std::mutex> lock(atomics);
        const T old = cell;
        cell = action(old);
        return old;
    }
};

template <int> struct nd_range {
    nd_range(std::size_t items, std::size_t group) : items(items), group(group) {}
    std::size_t items, group;
};

// The threads of one group.
class Team {
public:
    explicit Team(std::size_t size) : size(size), cells(size) {}

    void wait() {
        std::unique_lock<std::mutex> lock(mutex);
        const std::size_t turn = turns;
        if (++arrived == size) {
            arrived = 0;
            turns++;
            all.notify_all();
        } else {
            all.wait(lock, [&] { return turns != turn; });
        }
    }

    // What the values of the first `count` threads come to.
    template <class T, class Operation>
    T combined(std::size_t lane, T value, std::size_t count, Operation operation) {
        static_assert(sizeof(T) <= sizeof cells[0]);
        std::memcpy(&cells[lane], &value, sizeof value);
        wait();
        std::memcpy(&value, &cells[0], sizeof value);
        for (std::size_t i = 1; i < count; i++) {
            T other;
            std::memcpy(&other, &cells[i], sizeof other);
            value = operation(value, other);
        }
        wait();
        return value;
    }

    const std::size_t size;

private:
    std::vector<std::uint64_t> cells;
    std::mutex mutex;
    std::condition_variable all;
    std::size_t arrived = 0, turns = 0;
};

template <int> struct group {
    Team *team;  // none where a work-item is a group of its own
    std::size_t lane;
};

template <int dimensions> class nd_item {
public:
    nd_item(std::size_t number, std::size_t items, Team *team = nullptr)
        : number(number), items(items), size(team ? team->size : 1), team(team) {}
    std::size_t get_global_id(int) const { return number; }
    std::size_t get_global_range(int) const { return items; }
    std::size_t get_local_id(int) const { return number % size; }
    std::size_t get_group(int) const { return number / size; }
    std::size_t get_group_range(int) const { return items / size; }
    group<dimensions> get_group() const { return {team, number % size}; }

private:
    std::size_t number, items, size;
    Team *team;
};

#define OPERATION(name, value) \
    template <class T> struct name { T operator()(T a, T b) const { return value; } };
OPERATION(plus, a + b)
OPERATION(multiplies, a * b)
OPERATION(logical_and, a && b)
OPERATION(logical_or, a || b)
OPERATION(bit_and, a & b)
OPERATION(bit_or, a | b)
OPERATION(bit_xor, a ^ b)
OPERATION(minimum, b < a ? b : a)
OPERATION(maximum, a < b ? b : a)
#undef OPERATION

template <class Group, class T, class Operation>
T reduce_over_group(Group group, T value, Operation operation) {
    return group.team ? group.team->combined(group.lane, value, group.team->size, operation) : value;
}

template <class Group, class T, class Operation>
T inclusive_scan_over_group(Group group, T value, Operation operation) {
    return group.team ? group.team->combined(group.lane, value, group.lane + 1, operation) : value;
}

using std::abs, std::ceil, std::exp, std::fabs, std::floor, std::fmax, std::fmin, std::isnan, std::log, std::max, std::min,
    std::pow, std::sqrt;

template <class Group> void group_barrier(Group group) {
    if (group.team) group.team->wait();
}

namespace info {
namespace platform { struct name {}; }
namespace device { struct name {}; struct driver_version {}; struct max_compute_units {}; struct global_mem_size {};
struct max_work_group_size {}; }
}

class platform {
public:
    template <class> std::string get_info() const { return "one thread"; }
};

class device {
public:
    static std::vector<device> get_devices() { return {device()}; }
    bool is_gpu() const { return false; }
    bool is_cpu() const { return true; }
    bool has(aspect wanted) const { return wanted != aspect::LACKING; }
    platform get_platform() const { return {}; }

    template <class What> auto get_info() const {
        if constexpr (std::is_same_v<What, info::device::max_compute_units>) {
            return 1u;
        } else if constexpr (std::is_same_v<What, info::device::global_mem_size>) {
            return std::uint64_t{1} << 32;
        } else if constexpr (std::is_same_v<What, info::device::max_work_group_size>) {
            return std::size_t{1};
        } else {
            return std::string("stand-in");
        }
    }
};

namespace property::queue { struct in_order {}; }

struct event {
    void wait() {}
    void wait_and_throw() {}
};

// What is launched, and the memory of a group, of which only one runs at a time.
class handler {
public:
    bool shares = false;

    template <int dimensions, class Action> void parallel_for(nd_range<dimensions> range, Action action) {
        if (!shares) {
            for (std::size_t i = 0; i < range.items; i++) action(nd_item<dimensions>(i, range.items));
            return;
        }
        for (std::size_t begin = 0; begin < range.items; begin += range.group) {
            Team team(range.group);
            std::vector<std::thread> threads;
            for (std::size_t i = begin; i < begin + range.group; i++) {
                threads.emplace_back([=, &team] { action(nd_item<dimensions>(i, range.items, &team)); });
            }
            for (std::thread &thread : threads) thread.join();
        }
    }
};

template <class T, int> class local_accessor {
public:
    local_accessor(std::size_t count, handler &handler) : cells(new T[count], std::default_delete<T[]>()) {
        handler.shares = true;
    }

    T &operator[](std::size_t place) const { return cells.get()[place]; }

private:
    std::shared_ptr<T> cells;
};

class queue {
public:
    queue(device, property::queue::in_order) {}
    device get_device() const { return {}; }
    void wait() {}
    void wait_and_throw() {}

    event memcpy(void *to, const void *from, std::size_t bytes) {
        std::memcpy(to, from, bytes);
        return {};
    }

    template <class T> event fill(T *cells, T value, std::size_t count) {
        std::fill(cells, cells + count, value);
        return {};
    }

    template <class Work> event submit(Work work) {
        handler one;
        work(one);
        return {};
    }
};

inline void *malloc_device(std::size_t bytes, queue &) { return std::malloc(bytes); }
inline void free(void *cells, queue &) { std::free(cells); }

}  // namespace sycl
