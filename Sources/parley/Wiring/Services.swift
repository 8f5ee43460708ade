import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyGateway
import ParleyMessaging
import ParleyModel
import ParleySQLite
import ServiceLifecycle

/// Runs the work that event loops submit, until the listeners are closed.
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

/// Runs what log and ledgers do by themselves, until everybody who uses them is gone.
struct BackendService: Service {
    let reply: @Sendable () async -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await reply()
        }
    }
}

/// Keeps what was looked up from lying about when nobody looks anything up.
struct DirectoryService: Service {
    let directory: BatchedDirectory

    private static let pause = Duration.seconds(5)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.pause)) != nil { directory.forgetOld() }
        }
    }
}

/// Sees to it that what is deleted is gone from the file of a database soon.
struct SQLiteService: Service {
    let store: SQLiteStore

    private static let pause = Duration.seconds(1)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // What could not be done now is done the next time.
            while (try? await Task.sleep(for: Self.pause)) != nil { _ = try? await store.emptyWAL() }
        }
    }
}

/// The first to hear of a shutdown: says so, closes the gateway to newcomers, and keeps the listeners open until the last
/// socket is gone. So whoever comes meanwhile is told to go elsewhere, and who watches the node sees it drain; a request
/// of REST is served as ever.
struct DrainService: Service {
    let readiness: Readiness
    let gateway: Gateway?

    func run() async throws {
        try? await gracefulShutdown()
        readiness.end()
        guard let gateway else { return }
        gateway.beginDrain()
        // A closing handshake may take some seconds after the last socket was told to go.
        let timeout = Duration.nanoseconds(gateway.settings.drainWindow.nanoseconds) + .seconds(5)
        await wait(atMost: timeout, for: { await gateway.socketsClosed() }, orElse: { gateway.giveUpSockets() })
    }
}

/// Lets the node take its part in presence, and keeps it informed of how many nodes there are.
struct PresenceService: Service {
    let gateway: Gateway
    let presenceRegistry: any PresenceRegistry

    /// How often the nodes are counted.
    private static let pause = Duration.seconds(5)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await gateway.presence.run() }
                group.addTask {
                    repeat {
                        if let leases = try? await presenceRegistry.leases() {
                            gateway.budgets.know(nodes: leases.count)
                        }
                    } while (try? await Task.sleep(for: Self.pause)) != nil
                }
            }
        }
    }
}

/// Sees whether a Django site's database answers, and closes sockets whose session has ended there.
struct DjangoService: Service {
    let site: any DjangoDirectory
    let gateway: Gateway?
    /// In what time they are closed.
    let limit: Duration

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // The other half is for the questions themselves.
            while (try? await Task.sleep(for: limit / 2)) != nil {
                async let isChecked: Void? = try? site.check()
                await gateway?.recheckForeignSessions()
                _ = await isChecked
            }
        }
    }
}

/// Keeps what is behind the listeners alive until the last connection is closed.
///
/// The HTTP server does not wait for sockets: their tasks ended with the handshake.
struct ConnectionsService: Service {
    let gateway: Gateway

    /// After which connections that are still open are given up; their sockets have had their time.
    private static let timeout = Duration.seconds(3)

    func run() async throws {
        try? await gracefulShutdown()
        await wait(
            atMost: Self.timeout, for: { await gateway.connectionsClosed() },
            orElse: { gateway.giveUpConnections() })
    }
}

/// Waits for something that `giveUp` ends when it takes too long.
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
