// Memory of the device that OpenACC has chosen, for callers that are not C++.
#include <openacc.h>

#include <cstddef>
#include <cstring>

template <class T>
static void fill(T *cells, std::size_t count, const void *pattern) {
    T value;
    std::memcpy(&value, pattern, sizeof value);
    #pragma acc parallel loop gang vector deviceptr(cells)
    for (std::size_t i = 0; i < count; i++) {
        cells[i] = value;
    }
}

template <class T>
static void copy(T *to, const T *from, std::size_t count) {
    #pragma acc parallel loop gang vector deviceptr(to, from)
    for (std::size_t i = 0; i < count; i++) {
        to[i] = from[i];
    }
}

extern "C" void *memory_allocate(std::size_t bytes) { return acc_malloc(bytes); }

extern "C" void memory_release(void *cells) { acc_free(cells); }

extern "C" void memory_upload(void *cells, const void *from, std::size_t bytes) {
    acc_memcpy_to_device(cells, const_cast<void *>(from), bytes);
}

// The host need not have waited for all that changes the cells.
extern "C" void memory_download(void *to, const void *cells, std::size_t bytes) {
    acc_wait_all();
    acc_memcpy_from_device(to, const_cast<void *>(cells), bytes);
}

// `width` is the size of a cell.
extern "C" void memory_copy(void *to, const void *from, std::size_t count, std::size_t width) {
    switch (width) {
    case 1: return copy(static_cast<unsigned char *>(to), static_cast<const unsigned char *>(from), count);
    case 4: return copy(static_cast<unsigned *>(to), static_cast<const unsigned *>(from), count);
    case 8: return copy(static_cast<unsigned long long *>(to), static_cast<const unsigned long long *>(from), count);
    }
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
extern "C" std::size_t memory_free_bytes() {
    const acc_device_t kind = acc_get_device_type();
    return kind == acc_device_host ? 0 : acc_get_property(acc_get_device_num(kind), kind, acc_property_free_memory);
}

extern "C" void device_wait() { acc_wait_all(); }

// From here on this thread uses the GPU of that number, or the host for -1 and where there are fewer GPUs.
extern "C" void device_use(int number) {
    if (number >= 0 && acc_get_num_devices(acc_device_nvidia) > number) {
        acc_set_device_num(number, acc_device_nvidia);
    } else {
        acc_set_device_type(acc_device_host);
    }
}

// Whether parallel regions truly run off the host.
extern "C" int device_is_gpu() {
    int on_host = 1;
    #pragma acc parallel copy(on_host)
    on_host = acc_on_device(acc_device_host);
    return !on_host;
}

// The name of the device that runs parallel regions, empty for the host.
extern "C" const char *device_name() {
    const acc_device_t kind = acc_get_device_type();
    if (kind == acc_device_host) return "";
    const char *name = acc_get_property_string(acc_get_device_num(kind), kind, acc_property_name);
    return name == nullptr ? "" : name;
}

extern "C" int device_threads() { return 1; }

extern "C" const char *compiler_name() {
#ifdef __NVCOMPILER
    return "nvc++";
#else
    return "g++ " __VERSION__;
#endif
}
