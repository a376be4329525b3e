#ifndef STARPLAT_WEBGPU_HPP
#define STARPLAT_WEBGPU_HPP
// WebGPU: devices, their memory, and the kernels' text. Needs C++17.

#include <webgpu/webgpu.h>

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

struct Release {
    void operator()(WGPUInstance instance) const { wgpuInstanceRelease(instance); }
    void operator()(WGPUAdapter adapter) const { wgpuAdapterRelease(adapter); }
    void operator()(WGPUDevice device) const { wgpuDeviceRelease(device); }
    void operator()(WGPUQueue queue) const { wgpuQueueRelease(queue); }
    void operator()(WGPUShaderModule text) const { wgpuShaderModuleRelease(text); }
    void operator()(WGPUBindGroupLayout layout) const { wgpuBindGroupLayoutRelease(layout); }
    void operator()(WGPUPipelineLayout layout) const { wgpuPipelineLayoutRelease(layout); }
    void operator()(WGPUComputePipeline pipeline) const { wgpuComputePipelineRelease(pipeline); }
    void operator()(WGPUBindGroup group) const { wgpuBindGroupRelease(group); }
    void operator()(WGPUCommandEncoder encoder) const { wgpuCommandEncoderRelease(encoder); }
    void operator()(WGPUComputePassEncoder pass) const { wgpuComputePassEncoderRelease(pass); }
    void operator()(WGPUCommandBuffer commands) const { wgpuCommandBufferRelease(commands); }
    void operator()(WGPUBuffer memory) const { wgpuBufferRelease(memory); }
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

inline WGPUStringView view(const std::string &text) { return {text.data(), text.size()}; }

inline std::string as_text(WGPUStringView view) { return view.data ? std::string(view.data, view.length) : ""; }

// The number of a buffer in the kernels' text, and whether they write it.
struct Binding {
    std::uint32_t number;
    bool written;
};

// The buffers that each kernel is given.
using Bindings = std::map<std::string, std::vector<Binding>>;

inline const char *const fill_text = R"(// Fills a buffer of 32-bit cells with one value.
struct Filling { value: u32, cells: u32 }
@group(0) @binding(0) var<storage, read_write> cells: array<u32>;
@group(1) @binding(0) var<uniform> filling: Filling;

@compute @workgroup_size(256)
fn fill(@builtin(global_invocation_id) place: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var cell = place.x; cell < filling.cells; cell += groups.x * 256u) {
        cells[cell] = filling.value;
    }
}
)";

// One device of WebGPU, its queue and the kernels.
class Device {
public:
    Device(std::size_t number, const std::string &text, const Bindings &given) : bindings(given) {
        if (number != 0) throw std::runtime_error("there is no WebGPU device " + std::to_string(number) + ": take 0");
        instance.reset(wgpuCreateInstance(nullptr));
        if (!instance) throw std::runtime_error("WebGPU does not start");
        adapter.reset(asked_adapter());
        device.reset(asked_device());
        queue_.reset(wgpuDeviceGetQueue(device.get()));
        last.reset(created(4, WGPUBufferUsage_CopySrc));
        kernels_text = built(text);
        filling_text = built(fill_text);
        bindings["fill"] = { {0, true} };
    }

    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;

    std::string name() const {
        WGPUAdapterInfo info = {};
        wgpuAdapterGetInfo(adapter.get(), &info);
        const std::string text = as_text(info.device);
        wgpuAdapterInfoFreeMembers(info);
        return text;
    }

    WGPUQueue queue() const { return queue_.get(); }

    using Memory = Pool<WGPUBuffer, Release>::Lent;

    Memory allocate(std::size_t bytes) {
        const auto usage = WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst;
        Memory memory = pool.take(bytes, [&](std::size_t size) { return created(size, usage); });
        check("allocating " + std::to_string(bytes) + " bytes");
        return memory;
    }

    // Releases what no buffer holds.
    void trim() { pool.empty(); }

    // Runs a kernel with at least one invocation for every iteration, up to some millions.
    template <class... Arguments>
    void launch(const std::string &kernel, std::size_t iterations, const Arguments &...arguments) {
        enqueue(kernel, std::min<std::size_t>(iterations / 256 + 1, most_groups), arguments...);
    }

    // Runs a kernel of one invocation.
    template <class... Arguments>
    void launch_once(const std::string &kernel, const Arguments &...arguments) {
        enqueue(kernel, 1, arguments...);
    }

    // Runs a kernel whose invocations have nothing to do with each other: groups of one.
    template <class... Arguments>
    void launch_apart(const std::string &kernel, std::size_t items, const Arguments &...arguments) {
        enqueue(kernel, items, arguments...);
    }

    // How many pieces of so many iterations keep all cores busy to the end.
    std::size_t pieces(std::size_t iterations) const {
        return std::clamp<std::size_t>((iterations + 63) / 64, 1, 1024);
    }

    void use() const {}  // any thread may

    // Waits for all that was asked for.
    void finish() const {
        std::uint32_t nothing;
        read(last.get(), 0, sizeof nothing, &nothing);
    }

    // Copies bytes of a buffer to the host.
    void read(WGPUBuffer memory, std::size_t first, std::size_t bytes, void *to) const {
        const Handle<WGPUBuffer> beside(created(bytes, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst));
        copy(memory, first, beside.get(), bytes);
        bool done = false;
        WGPUBufferMapCallbackInfo info = {};
        info.mode = WGPUCallbackMode_AllowProcessEvents;
        info.callback = [](WGPUMapAsyncStatus, WGPUStringView, void *at, void *) { *static_cast<bool *>(at) = true; };
        info.userdata1 = &done;
        wgpuBufferMapAsync(beside.get(), WGPUMapMode_Read, 0, bytes, info);
        wait_for(done);
        check("reading from the device");
        std::memcpy(to, wgpuBufferGetConstMappedRange(beside.get(), 0, bytes), bytes);
    }

    void copy(WGPUBuffer from, std::size_t first, WGPUBuffer to, std::size_t bytes) const {
        const Handle<WGPUCommandEncoder> encoder(wgpuDeviceCreateCommandEncoder(device.get(), nullptr));
        wgpuCommandEncoderCopyBufferToBuffer(encoder.get(), from, first, to, 0, bytes);
        submit(encoder.get());
    }

    // Throws what has gone wrong since it was last asked for.
    void check(const std::string &what) const {
        if (fault.empty()) return;
        throw std::runtime_error(what + " failed: " + std::exchange(fault, ""));
    }

private:
    static constexpr std::size_t most_groups = 65535;

    struct Kernel {
        Handle<WGPUBindGroupLayout> of_buffers, of_numbers;
        Handle<WGPUComputePipeline> pipeline;
    };

    Handle<WGPUInstance> instance;
    Handle<WGPUAdapter> adapter;
    Handle<WGPUDevice> device;
    Handle<WGPUQueue> queue_;
    Handle<WGPUBuffer> last;
    Handle<WGPUShaderModule> kernels_text, filling_text;
    Bindings bindings;
    std::map<std::string, Kernel> kernels;
    Pool<WGPUBuffer, Release> pool{Release()};
    mutable std::string fault;

    void wait_for(const bool &done) const {
        while (!done) wgpuInstanceProcessEvents(instance.get());
    }

    WGPUAdapter asked_adapter() const {
        std::pair<bool, WGPUAdapter> answer;
        WGPURequestAdapterOptions options = {};
        options.featureLevel = WGPUFeatureLevel_Core;
        options.powerPreference = WGPUPowerPreference_HighPerformance;
        WGPURequestAdapterCallbackInfo info = {};
        info.mode = WGPUCallbackMode_AllowProcessEvents;
        info.callback = [](WGPURequestAdapterStatus, WGPUAdapter found, WGPUStringView, void *at, void *) {
            *static_cast<std::pair<bool, WGPUAdapter> *>(at) = {true, found};
        };
        info.userdata1 = &answer;
        wgpuInstanceRequestAdapter(instance.get(), &options, info);
        wait_for(answer.first);
        if (answer.second == nullptr) throw std::runtime_error("there is no WebGPU device here");
        return answer.second;
    }

    WGPUDevice asked_device() {
        std::pair<bool, WGPUDevice> answer;
        WGPULimits limits = {};
        wgpuAdapterGetLimits(adapter.get(), &limits);
        limits.nextInChain = nullptr;
        WGPUDeviceDescriptor wanted = {};
        wanted.requiredLimits = &limits;
        wanted.uncapturedErrorCallbackInfo.callback = [](WGPUDevice const *, WGPUErrorType, WGPUStringView message,
                                                         void *at, void *) {
            *static_cast<std::string *>(at) = as_text(message);
        };
        wanted.uncapturedErrorCallbackInfo.userdata1 = &fault;
        WGPURequestDeviceCallbackInfo info = {};
        info.mode = WGPUCallbackMode_AllowProcessEvents;
        info.callback = [](WGPURequestDeviceStatus, WGPUDevice found, WGPUStringView, void *at, void *) {
            *static_cast<std::pair<bool, WGPUDevice> *>(at) = {true, found};
        };
        info.userdata1 = &answer;
        wgpuAdapterRequestDevice(adapter.get(), &wanted, info);
        wait_for(answer.first);
        if (answer.second == nullptr) throw std::runtime_error("the WebGPU device does not answer");
        return answer.second;
    }

    Handle<WGPUShaderModule> built(const std::string &text) {
        WGPUShaderSourceWGSL source = {};
        source.chain.sType = WGPUSType_ShaderSourceWGSL;
        source.code = view(text);
        WGPUShaderModuleDescriptor wanted = {};
        wanted.nextInChain = &source.chain;
        Handle<WGPUShaderModule> made(wgpuDeviceCreateShaderModule(device.get(), &wanted));
        check("building the kernels");
        return made;
    }

    WGPUBuffer created(std::size_t bytes, WGPUBufferUsage usage) const {
        WGPUBufferDescriptor wanted = {};
        wanted.usage = usage;
        wanted.size = bytes;
        return wgpuDeviceCreateBuffer(device.get(), &wanted);
    }

    WGPUBindGroupLayout layout_of(const std::vector<WGPUBindGroupLayoutEntry> &entries) const {
        WGPUBindGroupLayoutDescriptor wanted = {};
        wanted.entryCount = entries.size();
        wanted.entries = entries.data();
        return wgpuDeviceCreateBindGroupLayout(device.get(), &wanted);
    }

    static WGPUBindGroupLayoutEntry described(std::uint32_t number, WGPUBufferBindingType type) {
        WGPUBindGroupLayoutEntry entry = {};
        entry.binding = number;
        entry.visibility = WGPUShaderStage_Compute;
        entry.buffer.type = type;
        return entry;
    }

    Kernel &found(const std::string &name) {
        Kernel &kernel = kernels[name];
        if (kernel.pipeline) return kernel;
        std::vector<WGPUBindGroupLayoutEntry> entries;
        for (const Binding &one : bindings.at(name)) {
            const auto plain = one.written ? WGPUBufferBindingType_Storage : WGPUBufferBindingType_ReadOnlyStorage;
            entries.push_back(described(one.number, plain));
        }
        kernel.of_buffers.reset(layout_of(entries));
        kernel.of_numbers.reset(layout_of({described(0, WGPUBufferBindingType_Uniform)}));
        const WGPUBindGroupLayout layouts[] = {kernel.of_buffers.get(), kernel.of_numbers.get()};
        WGPUPipelineLayoutDescriptor both = {};
        both.bindGroupLayoutCount = 2;
        both.bindGroupLayouts = layouts;
        const Handle<WGPUPipelineLayout> layout(wgpuDeviceCreatePipelineLayout(device.get(), &both));
        WGPUComputePipelineDescriptor wanted = {};
        wanted.layout = layout.get();
        wanted.compute.module = (name == "fill" ? filling_text : kernels_text).get();
        wanted.compute.entryPoint = view(name);
        kernel.pipeline.reset(wgpuDeviceCreateComputePipeline(device.get(), &wanted));
        check("kernel " + name);
        return kernel;
    }

    static WGPUBindGroupEntry bound(std::uint32_t number, WGPUBuffer memory) {
        WGPUBindGroupEntry entry = {};
        entry.binding = number;
        entry.buffer = memory;
        entry.size = wgpuBufferGetSize(memory);
        return entry;
    }

    WGPUBindGroup group_of(WGPUBindGroupLayout layout, const std::vector<WGPUBindGroupEntry> &entries) const {
        WGPUBindGroupDescriptor wanted = {};
        wanted.layout = layout;
        wanted.entryCount = entries.size();
        wanted.entries = entries.data();
        return wgpuDeviceCreateBindGroup(device.get(), &wanted);
    }

    // What a kernel is given: buffers by their numbers, and numbers one after the other.
    struct Given {
        const std::vector<Binding> &bindings;
        std::vector<WGPUBindGroupEntry> buffers;
        std::vector<std::uint32_t> numbers;

        template <class Argument>
        void add(const Argument &argument) {
            if constexpr (std::is_same_v<Argument, float>) {
                std::uint32_t bits;
                std::memcpy(&bits, &argument, sizeof bits);
                numbers.push_back(bits);
            } else if constexpr (std::is_arithmetic_v<Argument>) {
                numbers.push_back(static_cast<std::uint32_t>(argument));
            } else {
                buffers.push_back(bound(bindings.at(buffers.size()).number, argument.memory()));
            }
        }
    };

    template <class... Arguments>
    void enqueue(const std::string &name, std::size_t groups, const Arguments &...arguments) {
        Kernel &kernel = found(name);
        Given given{bindings.at(name), {}, {}};
        (given.add(arguments), ...);
        given.numbers.resize((given.numbers.size() / 4 + 1) * 4);
        const std::size_t bytes = given.numbers.size() * 4;
        const auto usage = WGPUBufferUsage_Uniform | WGPUBufferUsage_CopyDst;
        const Handle<WGPUBuffer> numbers(created(bytes, usage));
        wgpuQueueWriteBuffer(queue(), numbers.get(), 0, given.numbers.data(), bytes);
        const Handle<WGPUBindGroup> buffers_group(group_of(kernel.of_buffers.get(), given.buffers));
        const Handle<WGPUBindGroup> numbers_group(group_of(kernel.of_numbers.get(), {bound(0, numbers.get())}));
        const Handle<WGPUCommandEncoder> encoder(wgpuDeviceCreateCommandEncoder(device.get(), nullptr));
        const Handle<WGPUComputePassEncoder> pass(wgpuCommandEncoderBeginComputePass(encoder.get(), nullptr));
        wgpuComputePassEncoderSetPipeline(pass.get(), kernel.pipeline.get());
        wgpuComputePassEncoderSetBindGroup(pass.get(), 0, buffers_group.get(), 0, nullptr);
        wgpuComputePassEncoderSetBindGroup(pass.get(), 1, numbers_group.get(), 0, nullptr);
        wgpuComputePassEncoderDispatchWorkgroups(pass.get(), static_cast<std::uint32_t>(groups), 1, 1);
        wgpuComputePassEncoderEnd(pass.get());
        submit(encoder.get());
        check(name);
    }

    void submit(WGPUCommandEncoder encoder) const {
        const Handle<WGPUCommandBuffer> commands(wgpuCommandEncoderFinish(encoder, nullptr));
        const WGPUCommandBuffer all[] = {commands.get()};
        wgpuQueueSubmit(queue(), 1, all);
    }
};

// Cells on the device, of 32 bits each.
template <class T>
class Buffer {
public:
    Buffer(Device &on, std::size_t size)
        : device(&on), count(size), memory_(on.allocate(std::max<std::size_t>(size, 1) * sizeof(Cell))) {}

    Buffer(Device &on, const Cells<T> &cells) : Buffer(on, cells.size()) {
        const std::vector<Cell> held(cells.begin(), cells.end());
        if (count > 0) wgpuQueueWriteBuffer(on.queue(), memory(), 0, held.data(), count * sizeof(Cell));
    }

    WGPUBuffer memory() const { return memory_.get(); }

    void fill(T value) {
        const Cell cell = value;
        std::uint32_t bits;
        std::memcpy(&bits, &cell, sizeof bits);
        if (count > 0) device->launch("fill", count, *this, bits, static_cast<std::uint32_t>(count));
    }

    void copy_from(const Buffer &source) {
        if (count > 0 && &source != this) device->copy(source.memory(), 0, memory(), count * sizeof(Cell));
    }

    T read(long long index) const {
        Cell cell;
        device->read(memory(), place(index), sizeof cell, &cell);
        return static_cast<T>(cell);
    }

    void write(long long index, T value) {
        const Cell cell = value;
        wgpuQueueWriteBuffer(device->queue(), memory(), place(index), &cell, sizeof cell);
    }

    std::vector<T> download() const {
        std::vector<Cell> held(count);
        if (count > 0) device->read(memory(), 0, count * sizeof(Cell), held.data());
        return std::vector<T>(held.begin(), held.end());
    }

    // Where the cells are not 0.
    std::vector<arc_t> members() const { return places_set(download()); }

private:
    using Cell = std::conditional_t<sizeof(T) == 1, int, T>;
    static_assert(sizeof(Cell) == 4, "cells of kernels have 32 bits");

    Device *device;
    std::size_t count;
    Device::Memory memory_;

    std::size_t place(long long index) const {
        if (index < 0 || static_cast<std::size_t>(index) >= count) {
            throw std::runtime_error("the program uses number " + std::to_string(index) + ", but there are only " +
                                     std::to_string(count));
        }
        return index * sizeof(Cell);
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

// One cell in which a kernel leaves what its invocations found.
template <class T>
class Word {
public:
    explicit Word(Device &device) : cell(device, 1) {}

    void set(T value) { cell.fill(value); }

    WGPUBuffer memory() const { return cell.memory(); }

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
