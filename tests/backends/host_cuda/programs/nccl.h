// As much of NCCL as emitted programs use, between threads of a process or, with ON_MPI, between processes. What all
// ranks have is brought together first, then each takes its own. The environment tells which rank's how manieth call
// fails (EMULATED_FAILURE=RANK,CALL).

#pragma once

#ifdef ON_MPI
#include <mpi.h>
#endif

#include "cuda_runtime.h"

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

enum ncclResult_t { ncclSuccess, ncclSystemError };
enum ncclDataType_t { ncclUint8, ncclInt32, ncclUint32, ncclInt64, ncclUint64, ncclFloat32, ncclFloat64 };
enum ncclRedOp_t { ncclSum, ncclProd, ncclMax, ncclMin, ncclNumOps };
struct ncclUniqueId {
    char internal[128];
};

namespace on_host {

using Bytes = std::vector<char>;

// Where threads bring what they have.
struct Table {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<Bytes> brought, found;
    int here = 0;
    long long times = 0;
};

struct Message {
    int peer;
    void *to;
    std::size_t size;
};

}  // namespace on_host

struct ncclComm {
    int rank, size, calls = 0;
    on_host::Table *place = nullptr;
    on_host::Bytes sent;  // by the calls of a group: to whom, how much, what
    std::vector<on_host::Message> wanted;

    // What all ranks bring.
    std::vector<on_host::Bytes> together(const on_host::Bytes &own) {
#ifdef ON_MPI
        const int bytes = static_cast<int>(own.size());
        std::vector<int> sizes(size), starts(size, 0);
        MPI_Allgather(&bytes, 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD);
        for (int i = 1; i < size; i++) starts[i] = starts[i - 1] + sizes[i - 1];
        on_host::Bytes all(starts.back() + sizes.back() + 1);
        MPI_Allgatherv(own.data(), bytes, MPI_BYTE, all.data(), sizes.data(), starts.data(), MPI_BYTE, MPI_COMM_WORLD);
        std::vector<on_host::Bytes> found;
        for (int i = 0; i < size; i++) found.emplace_back(all.begin() + starts[i], all.begin() + starts[i] + sizes[i]);
        return found;
#else
        std::unique_lock<std::mutex> lock(place->mutex);
        const long long time = place->times;
        place->brought.resize(size);
        place->brought[rank] = own;
        if (++place->here == size) {
            place->here = 0;
            place->found = place->brought;
            place->times++;
            place->changed.notify_all();
        } else {
            on_host::waiting++;
            place->changed.wait(lock, [&] { return place->times != time; });
            on_host::waiting--;
        }
        return place->found;
#endif
    }

    bool fails() {
        int failing = -1, call = -1;
        const char *told = std::getenv("EMULATED_FAILURE");
        return told != nullptr && std::sscanf(told, "%d,%d", &failing, &call) == 2 && rank == failing && ++calls == call;
    }
};
using ncclComm_t = ncclComm *;

namespace on_host {

inline thread_local int groups = 0;
inline thread_local ncclComm *group = nullptr;

inline void end_group() {
    const std::vector<Bytes> all = group->together(group->sent);
    std::vector<std::size_t> read(group->size, 0);
    for (const Message &message : group->wanted) {
        const Bytes &from = all[message.peer];
        std::size_t &at = read[message.peer];
        while (true) {
            int to;
            std::size_t size;
            if (at + sizeof to + sizeof size > from.size()) std::abort();  // nobody sends what is waited for
            std::memcpy(&to, &from[at], sizeof to);
            std::memcpy(&size, &from[at + sizeof to], sizeof size);
            at += sizeof to + sizeof size + size;
            if (to != group->rank) continue;
            if (size != message.size) std::abort();
            std::memcpy(message.to, &from[at - size], size);
            break;
        }
    }
    group->sent.clear();
    group->wanted.clear();
    group = nullptr;
}

template <class T>
T combined(T one, T other, ncclRedOp_t operation) {
    switch (operation) {
        case ncclSum: return one + other;
        case ncclProd: return one * other;
        case ncclMax: return one < other ? other : one;
        default: return other < one ? other : one;
    }
}

template <class T>
void reduce(ncclComm *comm, const void *from, void *to, std::size_t count, ncclRedOp_t operation) {
    const char *own = static_cast<const char *>(from);
    const std::vector<Bytes> all = comm->together(Bytes(own, own + count * sizeof(T)));
    for (std::size_t i = 0; i < count; i++) {
        T found = reinterpret_cast<const T *>(all[0].data())[i];
        for (int part = 1; part < comm->size; part++) {
            found = combined(found, reinterpret_cast<const T *>(all[part].data())[i], operation);
        }
        static_cast<T *>(to)[i] = found;
    }
}

}  // namespace on_host

inline const char *ncclGetErrorString(ncclResult_t) { return "emulated"; }
inline const char *ncclGetLastError(ncclComm_t) { return "as the environment wants it"; }
inline ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
    on_host::Table *place = new on_host::Table;
    std::memcpy(id->internal, &place, sizeof place);
    return ncclSuccess;
}
inline ncclResult_t ncclCommInitRank(ncclComm_t *comm, int size, ncclUniqueId id, int rank) {
    *comm = new ncclComm{rank, size};
    std::memcpy(&(*comm)->place, id.internal, sizeof(on_host::Table *));
    return (*comm)->fails() ? ncclSystemError : ncclSuccess;
}
inline ncclResult_t ncclCommDestroy(ncclComm_t comm) { return delete comm, ncclSuccess; }
inline ncclResult_t ncclGroupStart() { return on_host::groups++, ncclSuccess; }
inline ncclResult_t ncclGroupEnd() {
    if (--on_host::groups == 0 && on_host::group != nullptr) on_host::end_group();
    return ncclSuccess;
}
inline ncclResult_t ncclSend(const void *from, std::size_t size, ncclDataType_t, int peer, ncclComm_t comm, void *) {
    on_host::group = comm;
    for (auto [at, bytes] : {std::pair<const void *, std::size_t>{&peer, sizeof peer}, {&size, sizeof size}, {from, size}}) {
        comm->sent.insert(comm->sent.end(), static_cast<const char *>(at), static_cast<const char *>(at) + bytes);
    }
    return comm->fails() ? ncclSystemError : ncclSuccess;
}
inline ncclResult_t ncclRecv(void *to, std::size_t size, ncclDataType_t, int peer, ncclComm_t comm, void *) {
    on_host::group = comm;
    comm->wanted.push_back({peer, to, size});
    return ncclSuccess;
}
inline ncclResult_t ncclBroadcast(
    const void *from, void *to, std::size_t count, ncclDataType_t, int root, ncclComm_t comm, void *
) {
    const char *own = static_cast<const char *>(from);
    const auto all = comm->together(comm->rank == root ? on_host::Bytes(own, own + count) : on_host::Bytes());
    std::memcpy(to, all[root].data(), count);
    return ncclSuccess;
}
inline ncclResult_t ncclAllReduce(
    const void *from, void *to, std::size_t count, ncclDataType_t type, ncclRedOp_t operation, ncclComm_t comm, void *
) {
    if (comm->fails()) return ncclSystemError;
    switch (type) {
        case ncclUint8: on_host::reduce<unsigned char>(comm, from, to, count, operation); break;
        case ncclInt32: on_host::reduce<int>(comm, from, to, count, operation); break;
        case ncclUint32: on_host::reduce<unsigned>(comm, from, to, count, operation); break;
        case ncclInt64: on_host::reduce<long long>(comm, from, to, count, operation); break;
        case ncclUint64: on_host::reduce<unsigned long long>(comm, from, to, count, operation); break;
        case ncclFloat32: on_host::reduce<float>(comm, from, to, count, operation); break;
        case ncclFloat64: on_host::reduce<double>(comm, from, to, count, operation); break;
    }
    return ncclSuccess;
}
