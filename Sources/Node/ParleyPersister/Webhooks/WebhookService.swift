import Logging
import ParleyModel
import ServiceLifecycle

/// Sends stored events to the endpoints of back ends. Any number of processes may run this service: each endpoint has one that
/// sends to it, and another one takes over when it stops or fails.
///
/// The endpoints to which this process sends are known to the task of `run` only.
package final class WebhookService: Service {
    private static let pause = Duration.seconds(1)

    private let sender: WebhookSender
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter sleep: Waits; throws when the task is cancelled.
    package init(
        _ sender: WebhookSender,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.sender = sender
        self.sleep = sleep
    }

    /// Runs until the shutdown, or until the task is cancelled.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            // `nil` is the pause before the next look for endpoints.
            await withTaskGroup(of: String?.self) { group in
                var running: Set<String> = []
                group.addTask { nil }
                while let ended = await group.next(), !Task.isCancelled {
                    if let ended {
                        running.remove(ended)
                        continue
                    }
                    for id in await enabled() where running.insert(id).inserted {
                        group.addTask { [sender] in
                            await sender.run(id)
                            return id
                        }
                    }
                    group.addTask { [sleep] in
                        try? await sleep(Self.pause)
                        return nil
                    }
                }
                group.cancelAll()
            }
        }
    }

    /// Returns the IDs of endpoints that are enabled. The lease of an endpoint that has another sender is refused.
    private func enabled() async -> [String] {
        do throws(StoreError) {
            return try await sender.store.webhooks().filter(\.isEnabled).map(\.id)
        } catch {
            sender.logger.debug("failed to look for webhooks", metadata: ["error": "\(error)"])
            return []
        }
    }
}
