// Memory of the host, touched first by the threads that will use it, for callers that are not C++.
#include <omp.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

{% include "openmp/room.hpp.jinja" %}

template <class T>
static void fill(T *cells, std::size_t count, const void *pattern) {
    T value;
    std::memcpy(&value, pattern, sizeof value);
    #pragma omp parallel if(count * sizeof(T) > 1 << 20)
    {
        const std::size_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
        std::fill(cells + count * thread / threads, cells + count * (thread + 1) / threads, value);  // memset for bytes
    }
}

extern "C" void *memory_allocate(std::size_t bytes) { return room_for(bytes); }

extern "C" void memory_release(void *cells) { std::free(cells); }

extern "C" void memory_upload(void *cells, const void *from, std::size_t bytes) { std::memcpy(cells, from, bytes); }

extern "C" void memory_download(void *to, const void *cells, std::size_t bytes) { std::memcpy(to, cells, bytes); }

extern "C" void memory_copy(void *to, const void *from, std::size_t count, std::size_t width) {
    std::memcpy(to, from, count * width);
}

// `pattern` is one cell of `width` bytes.
extern "C" void memory_fill(void *cells, std::size_t count, std::size_t width, const void *pattern) {
    switch (width) {
    case 1: return fill(static_cast<unsigned char *>(cells), count, pattern);
    case 4: return fill(static_cast<unsigned *>(cells), count, pattern);
    case 8: return fill(static_cast<unsigned long long *>(cells), count, pattern);
    }
}

// Bytes that can still be allocated; 0 if that is not known.
extern "C" std::size_t memory_free_bytes() { return 0; }

extern "C" void device_wait() {}

extern "C" void device_use(int) {}

// Whether parallel regions truly run off the host.
extern "C" int device_is_gpu() { return 0; }

extern "C" const char *device_name() { return ""; }

extern "C" int device_threads() { return omp_get_max_threads(); }

extern "C" const char *compiler_name() { return "g++ " __VERSION__; }
