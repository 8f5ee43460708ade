import NIOCore
import ParleyAccounts
import ServiceLifecycle
import UnixSignals

/// One process of Parley: the parts of its role, wired together (`Node+Roles.swift`).
///
/// Without Redis, bus and log are in memory and the process runs alone. With Redis, any number of processes in any
/// roles form a cluster.
struct Node {
    private let group: ServiceGroup
    private let settings: Settings
    private let finish: @Sendable () async -> Void

    init(_ base: NodeBase, _ adapters: Adapters, _ useCases: UseCases, _ services: [any Service]) {
        group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { .init(service: $0) },
                gracefulShutdownSignals: [.sigterm, .sigint], logger: base.libraryLogger))
        finish = {
            await useCases.accounts.workers.shutDown()
            await adapters.close()
        }
        settings = base.settings
    }

    /// Runs until a signal ends it.
    func run() async throws {
        do {
            try await group.run()
        } catch let failure as PortFailure {
            throw failure
        } catch let error as IOError {
            throw PortFailure(error, host: settings.host, port: settings.port, flag: "--port")
        } catch let error where error is SocketAddressError || error is SocketAddressError.UnknownHost {
            throw SettingError(
                setting: "PARLEY_BIND (bind)", explanation: "\(settings.host) is not an address of this machine")
        }
        await finish()
    }
}
