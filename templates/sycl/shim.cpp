// What starplat's runtime asks of SYCL and dpctl does not offer: the kernel compiler, kernel binaries, filling, copying
// by address. Every function gives 0 or a null pointer if it fails, and `starplat_error` says why.
#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

namespace experimental = sycl::ext::oneapi::experimental;
using Bundle = sycl::kernel_bundle<sycl::bundle_state::executable>;

static thread_local std::string error;

template <class Action>
static auto guarded(Action action) -> decltype(action()) {
    try {
        error.clear();
        return action();
    } catch (const std::exception &caught) {
        error = caught.what();
        return {};
    }
}

template <class T>
static void fill(sycl::queue &queue, void *cells, const void *value, std::size_t count) {
    T pattern;
    std::memcpy(&pattern, value, sizeof pattern);
    queue.fill(static_cast<T *>(cells), pattern, count);
}

extern "C" {

const char *starplat_error() { return error.c_str(); }

int starplat_can_build(void *device) {
    return guarded([&] {
        return static_cast<sycl::device *>(device)->ext_oneapi_can_build(experimental::source_language::sycl) ? 1 : 0;
    });
}

// Where a device stands among all, by which another process finds it; -1 if it is a part of one.
int starplat_place(void *device) {
    const std::vector<sycl::device> all = sycl::device::get_devices();
    const auto found = std::find(all.begin(), all.end(), *static_cast<sycl::device *>(device));
    return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

void *starplat_queue(int place) {
    return guarded([&] { return new sycl::queue(sycl::device::get_devices().at(place)); });
}

void *starplat_build(void *queue_address, const char *text, const char *const *options, int option_count) {
    std::string log;
    Bundle *built = guarded([&] {
        sycl::queue &queue = *static_cast<sycl::queue *>(queue_address);
        auto source = experimental::create_kernel_bundle_from_source(
            queue.get_context(), experimental::source_language::sycl, std::string(text));
        const std::vector<std::string> given(options, options + option_count);
        return new Bundle(experimental::build(
            source, {queue.get_device()},
            experimental::properties{experimental::build_options{given}, experimental::save_log{&log}}));
    });
    if (built == nullptr) error += "\n" + log;
    return built;
}

void *starplat_load(void *queue_address, const char *binary, std::size_t size) {
    return guarded([&] {
        sycl::queue &queue = *static_cast<sycl::queue *>(queue_address);
        std::vector<char> content(binary, binary + size);
        return new Bundle(experimental::get_kernel_bundle<sycl::bundle_state::executable>(
            queue.get_context(), {queue.get_device()}, sycl::span<char>(content.data(), content.size())));
    });
}

// The size of the binary, which is copied if there is room for it.
std::size_t starplat_binary(void *bundle, char *binary, std::size_t room) {
    return guarded([&] {
        const std::vector<char> content = static_cast<Bundle *>(bundle)->ext_oneapi_get_content();
        if (content.size() <= room) std::copy(content.begin(), content.end(), binary);
        return content.size();
    });
}

void *starplat_kernel(void *bundle, const char *name) {
    return guarded([&] { return new sycl::kernel(static_cast<Bundle *>(bundle)->ext_oneapi_get_kernel(name)); });
}

void starplat_release(void *bundle) { delete static_cast<Bundle *>(bundle); }

int starplat_fill(void *queue_address, void *cells, const void *value, std::size_t size, std::size_t count) {
    return guarded([&] {
        sycl::queue &queue = *static_cast<sycl::queue *>(queue_address);
        if (size == 1) fill<unsigned char>(queue, cells, value, count);
        if (size == 4) fill<unsigned>(queue, cells, value, count);
        if (size == 8) fill<unsigned long long>(queue, cells, value, count);
        return 1;
    });
}

int starplat_copy(void *queue_address, void *destination, const void *source, std::size_t bytes, int wait) {
    return guarded([&] {
        sycl::event copied = static_cast<sycl::queue *>(queue_address)->memcpy(destination, source, bytes);
        if (wait) copied.wait_and_throw();
        return 1;
    });
}

int starplat_finish(void *queue_address) {
    return guarded([&] {
        static_cast<sycl::queue *>(queue_address)->wait_and_throw();
        return 1;
    });
}
}
