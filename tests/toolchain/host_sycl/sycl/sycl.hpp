// As much of SYCL 2020 as emitted code asks for, on one thread of the host: every work-item is a group of its own. With
// it any C++ compiler stands in for a compiler of whole SYCL programs.
#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
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

template <class T, memory_order, memory_scope, access::address_space>
class atomic_ref {
public:
    explicit atomic_ref(T &cell) : cell(cell) {}

    T load() const { return cell; }
    void store(T value) const { cell = value; }
    T exchange(T value) const { return change([&](T) { return value; }); }
    T fetch_add(T value) const { return change([&](T old) { return T(old + value); }); }
    T fetch_and(T value) const { return change([&](T old) { return T(old & value); }); }
    T fetch_or(T value) const { return change([&](T old) { return T(old | value); }); }
    T fetch_xor(T value) const { return change([&](T old) { return T(old ^ value); }); }
    T fetch_min(T value) const { return change([&](T old) { return std::min(old, value); }); }
    T fetch_max(T value) const { return change([&](T old) { return std::max(old, value); }); }

    bool compare_exchange_weak(T &expected, T value) const { return compare_exchange_strong(expected, value); }

    bool compare_exchange_strong(T &expected, T value) const {
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
        const T old = cell;
        cell = action(old);
        return old;
    }
};

template <int> struct nd_range {
    nd_range(std::size_t items, std::size_t) : items(items) {}
    std::size_t items;
};

template <int> struct group {};

template <int dimensions> class nd_item {
public:
    nd_item(std::size_t number, std::size_t items) : number(number), items(items) {}
    std::size_t get_global_id(int) const { return number; }
    std::size_t get_global_range(int) const { return items; }
    std::size_t get_local_id(int) const { return 0; }
    group<dimensions> get_group() const { return {}; }

private:
    std::size_t number, items;
};

template <class T> struct plus {};
template <class T> struct multiplies {};
template <class T> struct bit_and {};
template <class T> struct bit_or {};
template <class T> struct bit_xor {};
template <class T> struct minimum {};
template <class T> struct maximum {};

template <class Group, class T, class Operation>
T reduce_over_group(Group, T value, Operation) { return value; }

using std::abs, std::ceil, std::exp, std::fabs, std::floor, std::fmax, std::fmin, std::isnan, std::log, std::max, std::min,
    std::pow, std::sqrt;

template <class Group> void group_barrier(Group) {}

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

    template <int dimensions, class Action> event parallel_for(nd_range<dimensions> range, Action action) {
        for (std::size_t i = 0; i < range.items; i++) action(nd_item<dimensions>(i, range.items));
        return {};
    }
};

inline void *malloc_device(std::size_t bytes, queue &) { return std::malloc(bytes); }
inline void free(void *cells, queue &) { std::free(cells); }

}  // namespace sycl
