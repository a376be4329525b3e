#ifndef STARPLAT_OPENMP_HPP
#define STARPLAT_OPENMP_HPP
// C++ with OpenMP: devices, their memory, and what kernels call. Needs C++17.

#include <omp.h>
#include <sys/mman.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "starplat_graph.hpp"

namespace starplat {

// Memory that buffers have given back, by its size, for the next that want as much.
template <class Pointer, class Release>
class Pool {
public:
    struct GiveBack {
        Pool *pool = nullptr;
        std::size_t bytes = 0;

        void operator()(Pointer memory) const { pool->kept.emplace(bytes, memory); }
    };

    using Lent = std::unique_ptr<std::remove_pointer_t<Pointer>, GiveBack>;

    explicit Pool(Release releases) : release(std::move(releases)) {}
    Pool(const Pool &) = delete;
    Pool &operator=(const Pool &) = delete;
    ~Pool() { empty(); }

    // So many bytes that are kept here, or else that `allocate` finds; a null pointer if there is no room.
    template <class Allocate>
    Lent take(std::size_t bytes, Allocate allocate) {
        Pointer memory = nullptr;
        if (const auto found = kept.find(bytes); found != kept.end()) {
            memory = found->second;
            kept.erase(found);
        } else if (memory = allocate(bytes); memory == nullptr) {
            empty();
            memory = allocate(bytes);
        }
        return Lent(memory, GiveBack{this, bytes});
    }

    void empty() {
        for (const auto &[bytes, memory] : kept) release(memory);
        kept.clear();
    }

private:
    Release release;
    std::multimap<std::size_t, Pointer> kept;
};

// Room for so many bytes, or a null pointer. Arrays of a large page or more begin with one, and ask the system for such
// pages: threads that read here and there then seldom wait for the address of a page.
inline void *room_for(std::size_t bytes) {
#ifdef MADV_HUGEPAGE
    constexpr std::size_t page = std::size_t(1) << 21;
    if (bytes >= page) {
        void *room = std::aligned_alloc(page, (bytes + page - 1) / page * page);
        if (room != nullptr) madvise(room, bytes, MADV_HUGEPAGE);  // where that fails, pages are ordinary ones
        return room;
    }
#endif
    return std::malloc(bytes);
}

// The cores of the host.
class Device {
public:
    explicit Device(std::size_t number) {
        if (number != 0) throw std::runtime_error("there is no device " + std::to_string(number) + " but the host, 0");
    }

    std::string name() const { return "host, " + std::to_string(omp_get_max_threads()) + " threads"; }

    void use() const {}  // any thread may

    void finish() const {}

    Pool<void *, void (*)(void *)> pool{std::free};
};

// Cells that kernels reach.
template <class T>
class Buffer {
public:
    using Cell = std::conditional_t<std::is_same_v<T, unsigned char>, bool, T>;  // what kernels take

    Buffer(Device &device, std::size_t size)
        : count(size), memory(device.pool.take((size + 8) * sizeof(T), room_for)) {
        if (!memory) throw std::runtime_error("there is no room for " + std::to_string(count) + " cells");
    }

    Buffer(Device &device, const Cells<T> &values) : Buffer(device, values.size()) {
        std::copy(values.begin(), values.end(), cells());
    }

    operator Cell *() const { return static_cast<Cell *>(memory.get()); }

    void fill(T value) {
        T *to = cells();
        #pragma omp parallel for schedule(static) if(count * sizeof(T) > 1 << 20)
        for (std::size_t i = 0; i < count; i++) to[i] = value;
    }

    void copy_from(const Buffer &source) {
        const T *from = source.cells();
        T *to = cells();
        #pragma omp parallel for schedule(static) if(count * sizeof(T) > 1 << 20)
        for (std::size_t i = 0; i < count; i++) to[i] = from[i];
    }

    T read(long long index) const { return cells()[place(index)]; }

    void write(long long index, T value) { cells()[place(index)] = value; }

    std::vector<T> download() const { return std::vector<T>(cells(), cells() + count); }

    // Where the cells are not 0.
    std::vector<arc_t> members() const { return places_set(download()); }

private:
    std::size_t place(long long index) const {
        if (index < 0 || static_cast<std::size_t>(index) >= count) {
            throw std::runtime_error("the program uses number " + std::to_string(index) + ", but there are only " +
                                     std::to_string(count));
        }
        return index;
    }

    T *cells() const { return static_cast<T *>(memory.get()); }

    std::size_t count;
    decltype(Device::pool)::Lent memory;
};

// A set that nothing changes: its flags on the device, and its members here.
class FixedSet : public Buffer<unsigned char> {
public:
    FixedSet(Device &on, const Cells<unsigned char> &flags)
        : Buffer<unsigned char>(on, flags), listed(places_set(flags)) {}

    const std::vector<arc_t> &members() const { return listed; }

private:
    std::vector<arc_t> listed;
};

// What a kernel's reduction comes to; its clause brings it to the host.
template <class T>
class Word {
public:
    explicit Word(Device &) {}

    void set(T start) { value = start; }

    operator T *() { return &value; }

    T read() const { return value; }

private:
    T value{};
};

// Stops the program where it uses a cell that is not there.
inline void check_place(long long index, std::size_t count) {
    if (index < 0 || static_cast<std::size_t>(index) >= count) {
        throw std::runtime_error("the program uses number " + std::to_string(index) + ", but there are only " +
                                 std::to_string(count));
    }
}

// Conversion that stops at the ends of the range; what is not a number becomes 0.
template <class T, class Real>
inline T saturated(Real value) {
    if (std::isnan(value)) return 0;
    if (value >= static_cast<Real>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    if (value <= static_cast<Real>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
    return static_cast<T>(value);
}

inline int smaller_int(int a, int b) {
    return b < a ? b : a;
}

inline long long smaller_long(long long a, long long b) {
    return b < a ? b : a;
}

inline int larger_int(int a, int b) {
    return b > a ? b : a;
}

inline long long larger_long(long long a, long long b) {
    return b > a ? b : a;
}

#ifdef ARC_64
static constexpr arc_t ARC_MAX = LLONG_MAX;
#else
static constexpr arc_t ARC_MAX = INT_MAX;
#endif

// The whole part of a real, stopped at the ends of the range; 0 for what is not a number.
inline int saturated_int(double value) {
    if (value != value) return 0;
    return value >= 2147483647.0 ? INT_MAX : value <= -2147483648.0 ? INT_MIN : (int)value;
}

// The whole part of a real, stopped at the ends of the range; 0 for what is not a number.
inline long long saturated_long(double value) {
    if (value != value) return 0;
    return value >= 9223372036854775808.0 ? LLONG_MAX : value <= -9223372036854775808.0 ? LLONG_MIN : (long long)value;
}

// The whole part of a real, stopped at the ends of the range of an arc's number; 0 for what is not a number.
inline arc_t saturated_arc(double value) {
    const double end = sizeof(arc_t) == 8 ? 9223372036854775808.0 : 2147483648.0;
    if (value != value) return 0;
    const arc_t largest = sizeof(arc_t) == 8 ? (arc_t)LLONG_MAX : (arc_t)INT_MAX;
    return value >= end ? largest : value <= -end ? -largest - 1 : (arc_t)value;
}

// The lowest arc from source to destination, or -1: a binary search in the row.
inline arc_t find_arc(const arc_t *row_offsets, const int *columns, int source, int destination) {
    const arc_t end = row_offsets[source + 1];
    arc_t low = row_offsets[source], high = end;
    while (low < high) {
        const arc_t middle = low + (high - low) / 2;
        if (columns[middle] < destination) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && columns[low] == destination ? low : -1;
}

// Exclusive or of one byte, made on the 32-bit word around it.
inline void flip_byte(volatile bool *cell, bool value) {
    const unsigned long place = (unsigned long)cell % 4;
    __atomic_fetch_xor((volatile unsigned *)(cell - place), (unsigned)value << (8 * place), __ATOMIC_RELAXED);
}

// Returns what the cell held before; tried again as long as the value is beyond what others write.
inline int atomic_min_int(volatile int *cell, int value) {
    int held;
    __atomic_load(cell, &held, __ATOMIC_RELAXED);
    while (value < held) {
        if (__atomic_compare_exchange(cell, &held, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
    }
    return held;
}

// Returns what the cell held before; tried again as long as the value is beyond what others write.
inline long long atomic_min_long(volatile long long *cell, long long value) {
    long long held;
    __atomic_load(cell, &held, __ATOMIC_RELAXED);
    while (value < held) {
        if (__atomic_compare_exchange(cell, &held, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
    }
    return held;
}

// Returns what the cell held before; tried again as long as the value is beyond what others write.
inline arc_t atomic_min_arc(volatile arc_t *cell, arc_t value) {
    arc_t held;
    __atomic_load(cell, &held, __ATOMIC_RELAXED);
    while (value < held) {
        if (__atomic_compare_exchange(cell, &held, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
    }
    return held;
}

// Returns what the cell held before; tried again as long as the value is beyond what others write.
inline double atomic_min_double(volatile double *cell, double value) {
    double held;
    __atomic_load(cell, &held, __ATOMIC_RELAXED);
    while (value < held) {
        if (__atomic_compare_exchange(cell, &held, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
    }
    return held;
}

// Returns what the cell held before; tried again as long as the value is beyond what others write.
inline int atomic_max_int(volatile int *cell, int value) {
    int held;
    __atomic_load(cell, &held, __ATOMIC_RELAXED);
    while (value > held) {
        if (__atomic_compare_exchange(cell, &held, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
    }
    return held;
}

// Returns what the cell held before; tried again as long as the value is beyond what others write.
inline long long atomic_max_long(volatile long long *cell, long long value) {
    long long held;
    __atomic_load(cell, &held, __ATOMIC_RELAXED);
    while (value > held) {
        if (__atomic_compare_exchange(cell, &held, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
    }
    return held;
}

// Returns what the cell held before; tried again as long as the value is beyond what others write.
inline arc_t atomic_max_arc(volatile arc_t *cell, arc_t value) {
    arc_t held;
    __atomic_load(cell, &held, __ATOMIC_RELAXED);
    while (value > held) {
        if (__atomic_compare_exchange(cell, &held, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
    }
    return held;
}

// Returns what the cell held before; tried again as long as the value is beyond what others write.
inline double atomic_max_double(volatile double *cell, double value) {
    double held;
    __atomic_load(cell, &held, __ATOMIC_RELAXED);
    while (value > held) {
        if (__atomic_compare_exchange(cell, &held, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
    }
    return held;
}

// How many rows a thread takes at a time: many where these have about as many arcs as any others, so that a thread
// mostly writes to lines of memory that are its own.
inline int rows_at_a_time(const arc_t *row_offsets, int num_nodes) {
    const int few = 64, parts = 8 * omp_get_max_threads(), many = num_nodes / parts;
    if (many <= few) return few;
    const arc_t share = row_offsets[num_nodes] / parts, most = share + share / 2;
    for (int part = 0; part < parts; part++) {
        if (row_offsets[(part + 1) * many] - row_offsets[part * many] > most) return few;
    }
    return row_offsets[num_nodes] - row_offsets[parts * many] > most ? few : many;
}

// What a thread adds to a list. It gathers many members before it takes places for them, so that threads seldom wait
// for each other. Each thread has a copy, which begins with none; what it has gathered when it ends is added then.
class Additions {
public:
    Additions(int *members, int *size) : list(members), length(size) {}
    Additions(const Additions &other) : Additions(other.list, other.length) {}
    ~Additions() { add_all(); }

    void add(int member) {
        if (count == most) add_all();
        gathered[count++] = member;
    }

private:
    void add_all() {
        if (count == 0) return;
        int place;
        #pragma omp atomic capture
        { place = *length; *length += count; }
        for (int i = 0; i < count; i++) list[place + i] = gathered[i];
        count = 0;
    }

    static constexpr int most = 128;
    int *list, *length, count = 0, gathered[most];
};

// Addition in which infinity plus anything is infinity.
inline int add_inf(int a, int b) {
    return a == INT_MAX || b == INT_MAX ? INT_MAX : a + b;
}

// Addition in which infinity plus anything is infinity.
inline long long add_inf_long(long long a, long long b) {
    return a == LLONG_MAX || b == LLONG_MAX ? LLONG_MAX : a + b;
}

// Multiplication that wraps around.
inline int multiply(int a, int b) {
    return (int)((unsigned int)a * (unsigned int)b);
}

// Multiplication that wraps around.
inline long long multiply_long(long long a, long long b) {
    return (long long)((unsigned long long)a * (unsigned long long)b);
}

// Conversion in which infinity stays infinity.
inline long long int_to_long_inf(int value) {
    return value == INT_MAX ? LLONG_MAX : (long long)value;
}

// Conversion in which infinity stays infinity.
inline double int_to_double_inf(int value) {
    return value == INT_MAX ? INFINITY : (double)value;
}

// Conversion in which infinity stays infinity.
inline double long_to_double_inf(long long value) {
    return value == LLONG_MAX ? INFINITY : (double)value;
}

}  // namespace starplat

#endif
