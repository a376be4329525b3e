#ifndef STARPLAT_SYCL_HPP
#define STARPLAT_SYCL_HPP
// SYCL 2020: devices, their memory, and the kernels' text. Needs C++17.

#ifndef SYCL_DISABLE_FSYCL_SYCLHPP_WARNING
#define SYCL_DISABLE_FSYCL_SYCLHPP_WARNING
#endif
#include <sycl/sycl.hpp>

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

namespace experimental = sycl::ext::oneapi::experimental;
using KernelBundle = sycl::kernel_bundle<sycl::bundle_state::executable>;

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

// Every device that kernels can be built for, GPUs first.
inline std::vector<sycl::device> all_devices() {
    std::vector<sycl::device> found = sycl::device::get_devices();
    const auto unfit = [](sycl::device &device) {
        return !device.has(sycl::aspect::usm_device_allocations) ||
               !device.ext_oneapi_can_build(experimental::source_language::sycl);
    };
    found.erase(std::remove_if(found.begin(), found.end(), unfit), found.end());
    std::stable_partition(found.begin(), found.end(), [](const sycl::device &device) { return !device.is_cpu(); });
    return found;
}

inline sycl::device device_of(std::size_t number) {
    const std::vector<sycl::device> devices = all_devices();
    if (number >= devices.size()) {
        throw std::runtime_error("there is no SYCL device " + std::to_string(number) + ": this machine has " +
                                 std::to_string(devices.size()));
    }
    return devices[number];
}

// One SYCL device, its queue and the kernels.
class Device {
public:
    Device(std::size_t number, const std::string &text)
        : queue_(device_of(number), sycl::property::queue::in_order()), bundle(built(queue_, text)),
            pool(Free{queue_}) {}

    std::string name() const { return queue_.get_device().get_info<sycl::info::device::name>(); }

    sycl::queue &queue() { return queue_; }

    // Runs a kernel with at least one work-item for every iteration, up to a few million.
    template <class... Arguments>
    void launch(const std::string &kernel, std::size_t iterations, const Arguments &...arguments) {
        const std::size_t group = 256, groups = std::min<std::size_t>(iterations / group + 1, 1 << 16);
        submit(kernel, groups * group, group, arguments...);
    }

    // Runs a kernel on a single work-item.
    template <class... Arguments>
    void launch_once(const std::string &kernel, const Arguments &...arguments) {
        submit(kernel, 1, 1, arguments...);
    }

    // So many iterations, or more where these would leave compute units with nothing to do.
    std::size_t busy(std::size_t iterations) const {
        const std::size_t units = queue_.get_device().get_info<sycl::info::device::max_compute_units>();
        return std::max(iterations, units * 8 * 256 - 1);
    }

    // Runs a kernel whose work-items have nothing to do with each other: groups of one.
    template <class... Arguments>
    void launch_apart(const std::string &kernel, std::size_t items, const Arguments &...arguments) {
        submit(kernel, items, 1, arguments...);
    }

    // How many pieces of so many iterations keep all cores busy to the end.
    std::size_t pieces(std::size_t iterations) const {
        return std::clamp<std::size_t>((iterations + 63) / 64, 1, 1024);
    }

    // Runs a kernel on one work-group, which on a CPU has one work-item: others would only take turns with it.
    template <class... Arguments>
    void launch_group(const std::string &kernel, const Arguments &...arguments) {
        const sycl::device device = queue_.get_device();
        const std::size_t most = device.get_info<sycl::info::device::max_work_group_size>();
        const std::size_t group = device.is_cpu() ? 1 : std::min<std::size_t>(most, 1024);
        submit(kernel, group, group, arguments...);
    }

    void use() const {}  // any thread may

    void finish() { queue_.wait_and_throw(); }

    struct Free {
        sycl::queue queue;

        void operator()(void *memory) {
            queue.wait();
            sycl::free(memory, queue);
        }
    };

    using Memory = Pool<void *, Free>::Lent;

    Memory allocate(std::size_t bytes) {
        return pool.take(bytes, [this](std::size_t size) { return sycl::malloc_device(size, queue_); });
    }

    // Releases what no buffer holds.
    void trim() { pool.empty(); }

private:
    sycl::queue queue_;
    KernelBundle bundle;
    Pool<void *, Free> pool;

    static KernelBundle built(const sycl::queue &queue, const std::string &text) {
        auto source = experimental::create_kernel_bundle_from_source(
            queue.get_context(), experimental::source_language::sycl, text);
        std::vector<std::string> options = {"-fwrapv"};
        if (sizeof(arc_t) == 8) options.push_back("-DARC_64");
        std::string log;
        try {
            return experimental::build(
                source, {queue.get_device()},
                experimental::properties{experimental::build_options{options}, experimental::save_log{&log}});
        } catch (const sycl::exception &error) {
            throw std::runtime_error(std::string("the kernels cannot be built: ") + error.what() + "\n" + log);
        }
    }

    template <class... Arguments>
    void submit(const std::string &kernel, std::size_t items, std::size_t group, const Arguments &...arguments) {
        queue_.submit([&](sycl::handler &handler) {
            int place = 0;
            (set(handler, place++, arguments), ...);
            handler.parallel_for(sycl::nd_range<1>(items, group), bundle.ext_oneapi_get_kernel(kernel));
        });
    }

    template <class Argument>
    static void set(sycl::handler &handler, int place, const Argument &argument) {
        if constexpr (std::is_arithmetic_v<Argument>) {
            handler.set_arg(place, argument);
        } else {
            handler.set_arg(place, argument.memory());
        }
    }
};

// Cells on the device.
template <class T>
class Buffer {
public:
    Buffer(Device &on, std::size_t size)
        : device(&on), count(size), cells(on.allocate((size + 4) * sizeof(T))) {
        if (!cells) throw std::runtime_error("there is no room for " + std::to_string(count) + " cells on the device");
    }

    Buffer(Device &on, const Cells<T> &values) : Buffer(on, values.size()) {
        on.queue().copy(values.data(), memory(), count).wait();
    }

    T *memory() const { return static_cast<T *>(cells.get()); }

    void fill(T value) { device->queue().fill(memory(), value, count); }

    void copy_from(const Buffer &source) {
        if (&source != this) device->queue().copy(source.memory(), memory(), count);
    }

    T read(long long index) const {
        T value;
        device->queue().copy(memory() + place(index), &value, 1).wait();
        return value;
    }

    void write(long long index, T value) { device->queue().copy(&value, memory() + place(index), 1).wait(); }

    std::vector<T> download() const {
        std::vector<T> values(count);
        device->queue().copy(memory(), values.data(), count).wait();
        return values;
    }

    // Where the cells are not 0.
    std::vector<arc_t> members() const { return places_set(download()); }

private:
    Device *device;
    std::size_t count;
    Device::Memory cells;

    std::size_t place(long long index) const {
        if (index < 0 || static_cast<std::size_t>(index) >= count) {
            throw std::runtime_error("the program uses number " + std::to_string(index) + ", but there are only " +
                                     std::to_string(count));
        }
        return index;
    }
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

// One cell in which a kernel leaves what its work-items found.
template <class T>
class Word {
public:
    explicit Word(Device &device) : cell(device, 1) {}

    void set(T value) { cell.fill(value); }

    T *memory() const { return cell.memory(); }

    T read() const { return cell.read(0); }

private:
    Buffer<T> cell;
};

// The text of a file in the folder of another, with the headers of ours that it includes in their places.
inline std::string text_beside(const std::string &other, const std::string &name) {
    const std::string path = other.substr(0, other.find_last_of('/') + 1) + name;
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    const std::string include = "#include \"starplat_";
    std::string text, line;
    while (std::getline(file, line)) {
        const bool is_ours = line.rfind(include, 0) == 0;
        text += (is_ours ? text_beside(other, line.substr(10, line.find_last_of('"') - 10)) : line) + "\n";
    }
    return text;
}

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

}  // namespace starplat

#endif
