package import CoreMetrics
package import Logging
import Metrics
package import ParleyModel
import ServiceLifecycle

/// Reports the lag of the groups of readers behind the stream of stored events. Every process that runs this service reports the
/// same.
///
/// The gauges are known to the task of `run` only. There is one for each group (`EventGroup.maximumCount`).
package final class EventGroupReport: Service {
    private static let pause = Duration.seconds(10)

    private let groups: any EventGroups & TimeSource
    private let logger: Logger
    private let factory: any MetricsFactory
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - factory: Makes `parley_event_group_lag_seconds`, which has a series for the group of pushes from the start.
    ///   - sleep: Waits; throws when the task is cancelled.
    package init(
        _ groups: any EventGroups & TimeSource, logger: Logger,
        metrics factory: any MetricsFactory = MetricsSystem.factory,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.groups = groups
        self.logger = logger
        self.factory = factory
        self.sleep = sleep
        gauge(PushService.group).record(0)
    }

    /// Runs until the shutdown, or until the task is cancelled.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            var gauges = [PushService.group: gauge(PushService.group)]
            repeat {
                await report(&gauges)
            } while (try? await sleep(Self.pause)) != nil
        }
    }

    /// Records the lag of each group, and removes the series of deleted groups.
    private func report(_ gauges: inout [String: Gauge]) async {
        do throws(StoreError) {
            let now = try await groups.databaseMilliseconds()
            let groups = try await groups.eventGroups()
            for group in groups {
                let gauge = gauges[group.name] ?? gauge(group.name)
                gauges[group.name] = gauge
                gauge.record(group.unreadMilliseconds.map { max(0, Double(now - $0) / 1_000) } ?? 0)
            }
            let names = Set(groups.map(\.name))
            for (name, gauge) in gauges where !names.contains(name) {
                guard name != PushService.group else {
                    gauge.record(0)
                    continue
                }
                gauge.destroy()
                gauges[name] = nil
            }
        } catch {
            logger.debug("the lag of the groups of readers is unknown", metadata: ["error": "\(error)"])
        }
    }

    private func gauge(_ group: String) -> Gauge {
        Gauge(label: "parley_event_group_lag_seconds", dimensions: [("group", group)], factory: factory)
    }
}
