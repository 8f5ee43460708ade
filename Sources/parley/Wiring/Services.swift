import ParleyFanOut
import ParleyGateway
import ParleyMemory
import ServiceLifecycle

/// Runs what event loops hand over, until the doors are closed.
struct WorkService: Service {
    let work: WorkPool

    func run() async throws {
        await withGracefulShutdownHandler {
            await work.run()
        } onGracefulShutdown: {
            work.finish()
        }
    }
}

/// Runs the log's questions to the store, until everybody who appends is gone.
struct LogService: Service {
    let log: MemoryLog

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await log.run()
        }
    }
}

/// The first to hear of a shutdown: closes the gateway to newcomers.
struct DrainService: Service {
    let gateway: Gateway

    func run() async throws {
        try? await gracefulShutdown()
        gateway.beginDrain()
    }
}
