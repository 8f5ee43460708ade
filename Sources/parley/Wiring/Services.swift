import ParleyAccounts
import ParleyFanOut
import ParleyGateway
import ParleyModel
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

/// Runs what log and ledgers do by themselves, until everybody who uses them is gone.
struct BackendService: Service {
    let answer: @Sendable () async -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await answer()
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

/// The first to hear of a shutdown: closes the gateway to newcomers.
struct DrainService: Service {
    let gateway: Gateway

    func run() async throws {
        try? await gracefulShutdown()
        gateway.beginDrain()
    }
}

/// Lets the node take its part in presence, and keeps it informed of how many nodes there are.
struct PresenceService: Service {
    let gateway: Gateway
    let board: any PresenceBoard

    /// How often the nodes are counted.
    private static let pause = Duration.seconds(5)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await gateway.presence.run() }
                group.addTask {
                    repeat {
                        if let leases = try? await board.leases() { gateway.rates.know(nodes: leases.count) }
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

/// Keeps what is behind the doors alive until the last connection is closed.
///
/// The HTTP server does not wait for sockets: their tasks ended with the handshake.
struct ConnectionsService: Service {
    let gateway: Gateway
    /// After which connections that are still open are given up.
    let patience: Duration

    func run() async throws {
        try? await gracefulShutdown()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await gateway.connectionsClosed() }
            group.addTask {
                try? await Task.sleep(for: patience)
                gateway.giveUpConnections()
            }
            await group.next()
            group.cancelAll()
        }
    }
}
