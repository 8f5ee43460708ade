import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyGateway
import ParleyMessaging
import ParleyModel
import ServiceLifecycle

/// Runs the work that event loops submit, until the listeners have closed.
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

/// Runs background work, such as a backend's connections, and cancels it at its turn of the shutdown, when all users of
/// it have stopped.
struct BackendService: Service {
    let body: @Sendable () async -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await body()
        }
    }
}

/// Runs a service, and its child tasks, on an executor.
struct ServiceOnExecutor: Service {
    let service: any Service
    let executor: any TaskExecutor

    func run() async throws {
        try await withTaskExecutorPreference(executor) { try await service.run() }
    }
}

/// Evicts expired entries of the directory's cache while there are no lookups.
struct DirectoryService: Service {
    let directory: BatchedDirectory

    private static let pause = Duration.seconds(5)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.pause)) != nil { directory.forgetOld() }
        }
    }
}

/// Maintains the database each second.
struct MaintenanceService: Service {
    let database: any Database

    private static let pause = Duration.seconds(1)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.pause)) != nil { await database.maintain() }
        }
    }
}

/// Drains the gateway; the first service that shuts down.
///
/// Marks the process as not ready, rejects new sockets, and keeps the listeners open until the last socket has closed.
/// New clients thus get a proper rejection, probes see the drain, and REST requests are served as before.
struct DrainService: Service {
    let readiness: Readiness
    let gateway: Gateway?
    let window: TimeAmount

    func run() async throws {
        try? await gracefulShutdown()
        readiness.end()
        guard let gateway else { return }
        gateway.beginDrain()
        // A closing handshake may take some seconds after the last socket was told to close.
        let timeout = Duration.nanoseconds(window.nanoseconds) + .seconds(5)
        await wait(atMost: timeout, for: { await gateway.socketsClosed() }, orElse: { gateway.giveUpSockets() })
    }
}

/// Runs the presence of the gateway, and updates the number of nodes in the budgets.
struct PresenceService: Service {
    let presence: PresenceWatch
    let presenceRegistry: any PresenceRegistry
    let budgets: Budgets

    /// The time between two counts of the nodes.
    private static let pause = Duration.seconds(5)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await presence.run() }
                group.addTask {
                    repeat {
                        if let leases = try? await presenceRegistry.leases() {
                            budgets.setNodeCount(leases.count)
                        }
                    } while (try? await Task.sleep(for: Self.pause)) != nil
                }
            }
        }
    }
}

/// Checks that a Django site's database answers, and closes sockets whose Django session has ended.
struct DjangoService: Service {
    let site: any DjangoDirectory
    let gateway: Gateway?
    /// Maximum time until such a socket is closed.
    let limit: Duration

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // The other half is left for the queries.
            while (try? await Task.sleep(for: limit / 2)) != nil {
                async let isChecked: Void? = try? site.check()
                await gateway?.recheckForeignSessions()
                _ = await isChecked
            }
        }
    }
}

/// Keeps the services behind the listeners running until the last connection has closed.
///
/// The HTTP server does not wait for sockets: their tasks ended with the handshake.
struct ConnectionsService: Service {
    let gateway: Gateway

    /// The time after which the remaining connections are abandoned; their sockets have drained before.
    private static let timeout = Duration.seconds(3)

    func run() async throws {
        try? await gracefulShutdown()
        await wait(
            atMost: Self.timeout, for: { await gateway.connectionsClosed() },
            orElse: { gateway.giveUpConnections() })
    }
}

/// Waits for `body`, which `giveUp` ends after the timeout.
private func wait(
    atMost limit: Duration, for body: @escaping @Sendable () async -> Void,
    orElse giveUp: @escaping @Sendable () -> Void
) async {
    await withTaskGroup(of: Void.self) { group in
        group.addTask { await body() }
        group.addTask {
            try? await Task.sleep(for: limit)
            giveUp()
        }
        await group.next()
        group.cancelAll()
    }
}
