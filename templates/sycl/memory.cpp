// The devices of a compiler of whole SYCL programs and their memory, for callers that are not C++. What fails leaves its
// reason in `device_error`; a function that gives an address or a number then gives 0.
#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

static thread_local std::string error;
static thread_local sycl::queue *current = nullptr;

template <class Action>
static auto guarded(Action action) -> decltype(action()) {
    try {
        error.clear();
        return action();
    } catch (const std::exception &caught) {
        error = *caught.what() ? caught.what() : "no reason given";
        return decltype(action())();
    }
}

// Every device that kernels can share memory with, GPUs first, each with a queue of its own.
static std::vector<std::unique_ptr<sycl::queue>> &queues() {
    static std::vector<std::unique_ptr<sycl::queue>> all = [] {
        std::vector<sycl::device> devices = sycl::device::get_devices();
        std::stable_partition(devices.begin(), devices.end(), [](const sycl::device &device) { return device.is_gpu(); });
        std::vector<std::unique_ptr<sycl::queue>> made;
        for (const sycl::device &device : devices) {
            if (!device.has(sycl::aspect::usm_device_allocations)) continue;
            made.push_back(std::make_unique<sycl::queue>(device, sycl::property::queue::in_order()));
        }
        return made;
    }();
    return all;
}

template <class T>
static void fill(void *cells, std::size_t count, const void *pattern) {
    T value;
    std::memcpy(&value, pattern, sizeof value);
    current->fill(static_cast<T *>(cells), value, count);
}

extern "C" {

const char *device_error() { return error.c_str(); }

int device_count() {
    return guarded([] { return static_cast<int>(queues().size()); });
}

// From here on this thread uses the device of that number.
void device_use(int number) {
    guarded([&] { current = queues().at(static_cast<std::size_t>(number)).get(); });
}

void *device_queue() { return current; }

void device_wait() {
    guarded([] { current->wait_and_throw(); });
}

int device_is_gpu() {
    return guarded([] { return current->get_device().is_gpu() ? 1 : 0; });
}

const char *device_name() {
    static thread_local std::string name;
    return guarded([] {
        name = current->get_device().get_info<sycl::info::device::name>();
        return name.c_str();
    });
}

const char *device_driver() {
    static thread_local std::string driver;
    return guarded([] {
        const sycl::device device = current->get_device();
        driver = device.get_platform().get_info<sycl::info::platform::name>() + " " +
                 device.get_info<sycl::info::device::driver_version>();
        return driver.c_str();
    });
}

int device_threads() {
    return guarded([] {
        return static_cast<int>(current->get_device().get_info<sycl::info::device::max_compute_units>());
    });
}

std::size_t device_memory() {
    return guarded([] {
        return static_cast<std::size_t>(current->get_device().get_info<sycl::info::device::global_mem_size>());
    });
}

// Work-items of a group, of which a CPU has one run: others would only take turns with it.
int device_items_of_group() {
    return guarded([] {
        const sycl::device device = current->get_device();
        return device.is_cpu() ? 1 : static_cast<int>(device.get_info<sycl::info::device::max_work_group_size>());
    });
}

int device_has_fp64() {
    return guarded([] { return current->get_device().has(sycl::aspect::fp64) ? 1 : 0; });
}

int device_has_atomic64() {
    return guarded([] { return current->get_device().has(sycl::aspect::atomic64) ? 1 : 0; });
}

// Bytes that can still be allocated; 0, for SYCL does not know.
std::size_t memory_free_bytes() { return 0; }

void *memory_allocate(std::size_t bytes) {
    return guarded([&] { return sycl::malloc_device(bytes, *current); });
}

void memory_release(void *cells) {
    guarded([&] {
        current->wait();
        sycl::free(cells, *current);
    });
}

void memory_upload(void *cells, const void *from, std::size_t bytes) {
    guarded([&] { current->memcpy(cells, from, bytes).wait_and_throw(); });
}

void memory_download(void *to, const void *cells, std::size_t bytes) {
    guarded([&] { current->memcpy(to, cells, bytes).wait_and_throw(); });
}

void memory_copy(void *to, const void *from, std::size_t count, std::size_t width) {
    guarded([&] { current->memcpy(to, from, count * width); });
}

// `pattern` is one cell of `width` bytes.
void memory_fill(void *cells, std::size_t count, std::size_t width, const void *pattern) {
    guarded([&] {
        switch (width) {
        case 1: return fill<unsigned char>(cells, count, pattern);
        case 4: return fill<unsigned>(cells, count, pattern);
        case 8: return fill<unsigned long long>(cells, count, pattern);
        }
    });
}
}
