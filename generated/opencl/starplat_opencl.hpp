#ifndef STARPLAT_OPENCL_HPP
#define STARPLAT_OPENCL_HPP
// OpenCL 1.2: devices, their memory, and the kernels' text. Needs C++17.

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

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

inline void check(cl_int status, const std::string &what) {
    if (status != CL_SUCCESS) throw std::runtime_error(what + " failed with OpenCL error " + std::to_string(status));
}

struct Release {
    void operator()(cl_context context) const { clReleaseContext(context); }
    void operator()(cl_command_queue queue) const { clReleaseCommandQueue(queue); }
    void operator()(cl_program program) const { clReleaseProgram(program); }
    void operator()(cl_kernel kernel) const { clReleaseKernel(kernel); }
    void operator()(cl_mem memory) const { clReleaseMemObject(memory); }
};

template <class T>
using Handle = std::unique_ptr<std::remove_pointer_t<T>, Release>;

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

// Every device of this machine, GPUs first.
inline std::vector<cl_device_id> all_devices() {
    cl_uint count = 0;
    if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) count = 0;
    std::vector<cl_platform_id> platforms(count);
    if (count > 0) check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
    std::vector<cl_device_id> found;
    const cl_device_type others = CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_ACCELERATOR;
    for (const cl_device_type wanted : {cl_device_type{CL_DEVICE_TYPE_GPU}, others}) {
        for (cl_platform_id platform : platforms) {
            if (clGetDeviceIDs(platform, wanted, 0, nullptr, &count) != CL_SUCCESS) continue;
            std::vector<cl_device_id> devices(count);
            check(clGetDeviceIDs(platform, wanted, count, devices.data(), nullptr), "clGetDeviceIDs");
            found.insert(found.end(), devices.begin(), devices.end());
        }
    }
    return found;
}

// One OpenCL device, its queue and the kernels.
class Device {
public:
    Device(std::size_t number, const std::string &text) {
        const std::vector<cl_device_id> devices = all_devices();
        if (number >= devices.size()) {
            throw std::runtime_error("there is no OpenCL device " + std::to_string(number) + ": this machine has " +
                                     std::to_string(devices.size()));
        }
        id = devices[number];
        cl_int status = CL_SUCCESS;
        context.reset(clCreateContext(nullptr, 1, &id, nullptr, nullptr, &status));
        check(status, "clCreateContext");
        queue_.reset(clCreateCommandQueue(context.get(), id, 0, &status));
        check(status, "clCreateCommandQueue");
        build(text);
    }

    std::string name() const {
        char text[1024] = "";
        check(clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof text, text, nullptr), "clGetDeviceInfo");
        return text;
    }

    cl_command_queue queue() const { return queue_.get(); }

    using Memory = Pool<cl_mem, Release>::Lent;

    Memory allocate(std::size_t bytes) {
        cl_int status = CL_SUCCESS;
        Memory memory = pool.take((bytes / 4 + 1) * 4, [&](std::size_t whole_words) {
            return clCreateBuffer(context.get(), CL_MEM_READ_WRITE, whole_words, nullptr, &status);
        });
        check(status, "allocating " + std::to_string(bytes) + " bytes");
        return memory;
    }

    // Releases what no buffer holds.
    void trim() { pool.empty(); }

    // Runs a kernel with at least one work-item for every iteration, up to a few million.
    template <class... Arguments>
    void launch(const std::string &kernel, std::size_t iterations, const Arguments &...arguments) {
        const std::size_t group = 256, groups = std::min<std::size_t>(iterations / group + 1, 1 << 16);
        enqueue(kernel, groups * group, group, arguments...);
    }

    // Runs a kernel on a single work-item.
    template <class... Arguments>
    void launch_once(const std::string &kernel, const Arguments &...arguments) {
        enqueue(kernel, 1, 1, arguments...);
    }

    // So many iterations, or more where these would leave compute units with nothing to do.
    std::size_t busy(std::size_t iterations) const {
        cl_uint units = 0;
        check(clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr), "clGetDeviceInfo");
        return std::max<std::size_t>(iterations, units * 8 * 256 - 1);
    }

    // Runs a kernel whose work-items have nothing to do with each other: groups of one.
    template <class... Arguments>
    void launch_apart(const std::string &kernel, std::size_t items, const Arguments &...arguments) {
        enqueue(kernel, items, 1, arguments...);
    }

    // How many pieces of so many iterations keep all cores busy to the end.
    std::size_t pieces(std::size_t iterations) const {
        return std::clamp<std::size_t>((iterations + 63) / 64, 1, 1024);
    }

    // Runs a kernel on one work-group, which on a CPU has one work-item: others would only take turns with it.
    template <class... Arguments>
    void launch_group(const std::string &kernel, const Arguments &...arguments) {
        cl_device_type type = 0;
        check(clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, nullptr), "clGetDeviceInfo");
        std::size_t group = 1;
        if (!(type & CL_DEVICE_TYPE_CPU)) {
            check(clGetKernelWorkGroupInfo(found(kernel), id, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, nullptr),
                  "clGetKernelWorkGroupInfo");
            group = std::min<std::size_t>(group, 1024);
        }
        enqueue(kernel, group, group, arguments...);
    }

    void use() const {}  // any thread may

    void finish() const { check(clFinish(queue()), "clFinish"); }

private:
    cl_device_id id = nullptr;
    Handle<cl_context> context;
    Handle<cl_command_queue> queue_;
    Handle<cl_program> program;
    std::map<std::string, Handle<cl_kernel>> kernels;
    Pool<cl_mem, Release> pool{Release()};

    void build(const std::string &text) {
        const char *start = text.c_str();
        cl_int status = CL_SUCCESS;
        program.reset(clCreateProgramWithSource(context.get(), 1, &start, nullptr, &status));
        check(status, "clCreateProgramWithSource");
        std::string options = "-cl-std=CL1.2";
        if (text.find("device_fence") != std::string::npos) {  // fences for the whole device came with OpenCL C 2.0
            char version[1024] = "";
            check(clGetDeviceInfo(id, CL_DEVICE_VERSION, sizeof version, version, nullptr), "clGetDeviceInfo");
            const char newest = version[std::strlen("OpenCL ")];
            if (newest > '1') options = std::string("-cl-std=CL") + newest + ".0";
        }
        if (sizeof(arc_t) == 8) options += " -DARC_64";
        if (clBuildProgram(program.get(), 1, &id, options.c_str(), nullptr, nullptr) != CL_SUCCESS) {
            std::size_t size = 0;
            clGetProgramBuildInfo(program.get(), id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
            std::string log(size, '\0');
            clGetProgramBuildInfo(program.get(), id, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
            throw std::runtime_error("the kernels cannot be built:\n" + log);
        }
    }

    cl_kernel found(const std::string &name) {
        Handle<cl_kernel> &kernel = kernels[name];
        if (!kernel) {
            cl_int status = CL_SUCCESS;
            kernel.reset(clCreateKernel(program.get(), name.c_str(), &status));
            check(status, "kernel " + name);
            require_local_memory(name, kernel.get());
        }
        return kernel.get();
    }

    // Refuses a kernel whose groups take more memory than this device has for each.
    void require_local_memory(const std::string &name, cl_kernel kernel) const {
        cl_ulong taken = 0, most = 0;
        check(clGetKernelWorkGroupInfo(kernel, id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof taken, &taken, nullptr),
              "clGetKernelWorkGroupInfo");
        check(clGetDeviceInfo(id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof most, &most, nullptr), "clGetDeviceInfo");
        if (taken <= most) return;
        finish();  // what was launched before still uses the memory that is about to be released
        throw std::runtime_error("a work-group of " + name + " takes " + std::to_string(taken) +
                                 " bytes of local memory, and this device has " + std::to_string(most) +
                                 ": compile with --schedule balance=node, where rows take none");
    }

    template <class... Arguments>
    void enqueue(const std::string &name, std::size_t items, std::size_t group, const Arguments &...arguments) {
        const cl_kernel kernel = found(name);
        cl_uint place = 0;
        (set(kernel, place++, arguments), ...);
        check(clEnqueueNDRangeKernel(queue(), kernel, 1, nullptr, &items, &group, 0, nullptr, nullptr), name);
    }

    template <class Argument>
    static void set(cl_kernel kernel, cl_uint place, const Argument &argument) {
        if constexpr (std::is_arithmetic_v<Argument>) {
            check(clSetKernelArg(kernel, place, sizeof argument, &argument), "clSetKernelArg");
        } else {
            const cl_mem memory = argument.memory();
            check(clSetKernelArg(kernel, place, sizeof memory, &memory), "clSetKernelArg");
        }
    }
};

// Cells on the device.
template <class T>
class Buffer {
public:
    Buffer(Device &on, std::size_t size) : device(&on), count(size), memory_(on.allocate(size * sizeof(T))) {}

    Buffer(Device &on, const Cells<T> &cells) : Buffer(on, cells.size()) {
        if (count > 0) {
            check(clEnqueueWriteBuffer(on.queue(), memory(), CL_TRUE, 0, count * sizeof(T), cells.data(), 0, nullptr,
                                       nullptr), "uploading");
        }
    }

    cl_mem memory() const { return memory_.get(); }

    void fill(T value) {
        if (count == 0) return;
        check(clEnqueueFillBuffer(device->queue(), memory(), &value, sizeof(T), 0, count * sizeof(T), 0, nullptr,
            nullptr),
              "filling");
    }

    void copy_from(const Buffer &source) {
        if (count == 0 || &source == this) return;
        check(clEnqueueCopyBuffer(device->queue(), source.memory(), memory(), 0, 0, count * sizeof(T), 0, nullptr,
                                  nullptr), "copying");
    }

    T read(long long index) const {
        T value;
        check(clEnqueueReadBuffer(device->queue(), memory(), CL_TRUE, place(index), sizeof(T), &value, 0, nullptr,
                                  nullptr), "reading a cell");
        return value;
    }

    void write(long long index, T value) {
        check(clEnqueueWriteBuffer(device->queue(), memory(), CL_TRUE, place(index), sizeof(T), &value, 0, nullptr,
                                   nullptr), "writing a cell");
    }

    std::vector<T> download() const {
        std::vector<T> cells(count);
        if (count > 0) {
            check(clEnqueueReadBuffer(device->queue(), memory(), CL_TRUE, 0, count * sizeof(T), cells.data(), 0,
                nullptr,
                                      nullptr), "downloading");
        }
        return cells;
    }

    // Where the cells are not 0.
    std::vector<arc_t> members() const { return places_set(download()); }

private:
    Device *device;
    std::size_t count;
    Device::Memory memory_;

    std::size_t place(long long index) const {
        if (index < 0 || static_cast<std::size_t>(index) >= count) {
            throw std::runtime_error("the program uses number " + std::to_string(index) + ", but there are only " +
                                     std::to_string(count));
        }
        return index * sizeof(T);
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

    cl_mem memory() const { return cell.memory(); }

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
