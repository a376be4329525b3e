// As much of CUDA's runtime as emitted programs in parts use, on the host: cuda_on_host.hpp runs their kernels, one
// launch at a time, with few threads. The environment says how many GPUs there are. New memory holds nonsense, also
// around what was asked for; there is none while a GPU waits for another's call of NCCL, which may block the driver.

#pragma once

#include "../cuda_on_host.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

enum cudaError_t { cudaSuccess, cudaErrorNoDevice, cudaErrorInvalidDevice };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold };
enum cudaFuncAttribute {
    cudaFuncAttributeNonPortableClusterSizeAllowed,
    cudaFuncAttributeMaxDynamicSharedMemorySize
};
enum cudaMemLocationType { cudaMemLocationTypeDevice };
enum cudaMemAccessFlags { cudaMemAccessFlagsProtReadWrite };
struct cudaMemLocation {
    cudaMemLocationType type;
    int id;
};
struct cudaMemAccessDesc {
    cudaMemLocation location;
    cudaMemAccessFlags flags;
};
struct cudaUUID_t {
    char bytes[16];
};
struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    int multiProcessorCount;
    std::size_t sharedMemPerBlockOptin;
};
struct cudaFuncAttributes {
    std::size_t sharedSizeBytes;
};
using cudaMemPool_t = void *;
using cudaStream_t = void *;
using cudaEvent_t = std::uint64_t;

namespace on_host {

inline thread_local int gpu = 0;

inline int gpus() { return std::atoi(std::getenv("EMULATED_GPUS")); }

// The one thread that runs kernels: the memory of blocks is its own.
class Machine {
public:
    Machine() : worker([this] { work(); }) {}

    ~Machine() {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            ends = true;
        }
        changed.notify_all();
        worker.join();
    }

    void run(const std::function<void()> &launched) {
        const std::lock_guard<std::mutex> one_at_a_time(turn);
        std::unique_lock<std::mutex> lock(mutex);
        asked = &launched;
        changed.notify_all();
        changed.wait(lock, [&] { return asked == nullptr; });
    }

private:
    std::mutex turn, mutex;
    std::condition_variable changed;
    const std::function<void()> *asked = nullptr;
    bool ends = false;
    std::thread worker;

    void work() {
        std::unique_lock<std::mutex> lock(mutex);
        while (true) {
            changed.wait(lock, [&] { return asked != nullptr || ends; });
            if (ends) return;
            (*asked)();
            asked = nullptr;
            changed.notify_all();
        }
    }
};

inline Machine &machine() {
    static Machine only;
    return only;
}

// `kernel<<<blocks, threads>>>(...)`, on fewer of them.
template <class Blocks, class Threads, class Body>
void launched(Blocks blocks, Threads threads, Body body) {
    machine().run([&] {
        static unsigned seed = 0;
        launch(std::min<unsigned>(blocks, 3), std::min<unsigned>(threads, 64), seed++, body);
        if (wrong == nullptr) return;
        std::fprintf(stderr, "%s\n", wrong);
        std::abort();
    });
}

}  // namespace on_host

inline const char *cudaGetErrorString(cudaError_t) { return "emulated"; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int *count) { return (*count = on_host::gpus()) > 0 ? cudaSuccess : cudaErrorNoDevice; }
inline cudaError_t cudaSetDevice(int gpu) { return (on_host::gpu = gpu) < on_host::gpus() ? cudaSuccess : cudaErrorInvalidDevice; }
inline cudaError_t cudaGetDevice(int *gpu) { return *gpu = on_host::gpu, cudaSuccess; }
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int gpu) {
    *properties = {"emulated GPU", {}, 2};
    properties->uuid.bytes[0] = static_cast<char>(gpu);
    return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int) { return *pool = nullptr, cudaSuccess; }
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *) { return cudaSuccess; }
inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) { return cudaSuccess; }
inline cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc *, std::size_t) { return cudaSuccess; }
inline cudaError_t cudaDeviceCanAccessPeer(int *reaches, int, int) { return *reaches = 1, cudaSuccess; }
inline cudaError_t cudaFree(void *) { return cudaSuccess; }

constexpr std::size_t AROUND = 4096;

namespace on_host {
inline std::atomic<int> waiting{0};  // GPUs of this process for others
}

inline cudaError_t cudaMallocAsync(void **memory, std::size_t bytes, cudaStream_t) {
    if (on_host::waiting > 0) return cudaErrorInvalidDevice;
    char *const made = static_cast<char *>(std::malloc(bytes + 2 * AROUND));
    std::memset(made, 0x5a, bytes + 2 * AROUND);
    *memory = made + AROUND;
    return cudaSuccess;
}
inline cudaError_t cudaFreeAsync(void *memory, cudaStream_t) {
    std::free(static_cast<char *>(memory) - AROUND);
    return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind) {
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind) {
    return cudaMemcpy(to, from, bytes, kind);
}
inline cudaError_t cudaEventCreate(cudaEvent_t *) { return cudaSuccess; }
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t &event) { return event = on_host::nanoseconds(), cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t stop) {
    return *milliseconds = static_cast<float>(stop - start) * 1e-6f, cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, Kernel) { return cudaSuccess; }
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel, cudaFuncAttribute, int) { return cudaSuccess; }
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *most, Kernel, int, int) { return *most = 1, cudaSuccess; }
template <class Kernel>
cudaError_t cudaLaunchCooperativeKernel(Kernel, int, int, void **, int, int) { return cudaErrorInvalidDevice; }
