// CUDA graphs for Rust, which libtorch offers in C++ alone.
//
// The order of calls is new, some work to warm up, capture, the work to be captured, end, and then
// replay as often as wanted. From new to end all work of the thread goes to a stream of its own: none
// can be captured on the default stream. A function that fails gives false or a null pointer, and
// error says why.

#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAStream.h>

#include <exception>
#include <memory>
#include <string>

namespace {

thread_local std::string why;

struct Graph {
    at::cuda::CUDAGraph graph;
    c10::cuda::CUDAStream before = c10::cuda::getCurrentCUDAStream();
    c10::cuda::CUDAStream own = c10::cuda::getStreamFromPool();
    at::cuda::MempoolId_t pool = at::cuda::graph_pool_handle();
    // Chance as it was: a capture that fails leaves it unusable.
    at::Generator chance;
    bool entered = false;

    void enter() {
        before.synchronize();
        c10::cuda::setCurrentCUDAStream(own);
        entered = true;
    }

    void leave() {
        if (entered) {
            c10::cuda::setCurrentCUDAStream(before);
            own.synchronize();
            entered = false;
        }
    }
};

template <typename Work> bool tried(Work work) {
    try {
        work();
        return true;
    } catch (const std::exception &error) {
        why = error.what();
    } catch (...) {
        why = "an unknown exception";
    }
    return false;
}

} // namespace

extern "C" {

const char *graph_error() { return why.c_str(); }

Graph *graph_new() {
    std::unique_ptr<Graph> graph;
    bool done = tried([&] {
        graph = std::make_unique<Graph>();
        graph->enter();
    });
    return done ? graph.release() : nullptr;
}

bool graph_capture(Graph *graph) {
    return tried([&] {
        graph->own.synchronize();
        graph->chance = at::cuda::detail::getDefaultCUDAGenerator().clone();
        graph->graph.capture_begin(graph->pool);
    });
}

bool graph_end(Graph *graph) {
    return tried([&] {
        graph->graph.capture_end();
        graph->leave();
    });
}

bool graph_replay(Graph *graph) {
    return tried([&] { graph->graph.replay(); });
}

void graph_free(Graph *graph) {
    tried([&] {
        graph->leave();
        graph->own.synchronize();
        graph->before.synchronize();
    });
    delete graph;
}

// A capture that failed, or whose work did, is ended, and libtorch is set to go on without it. The
// graph is never freed: other parts of libtorch may know it.
void graph_abandon(Graph *graph) {
    std::string reason = why;
    if (!tried([&] { graph->graph.capture_end(); })) {
        tried([&] {
            auto device = c10::cuda::current_device();
            c10::cuda::CUDACachingAllocator::endAllocateToPool(device, graph->pool);
        });
    }
    tried([&] {
        at::Generator of_device = at::cuda::detail::getDefaultCUDAGenerator();
        of_device.graphsafe_set_state(graph->chance);
    });
    tried([&] { graph->leave(); });
    why = reason;
}
}
