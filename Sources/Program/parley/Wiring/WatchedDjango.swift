import Metrics
import ParleyModel

/// A Django site's database, with a metric of whether it answers.
struct WatchedDjango: DjangoDirectory {
    private let site: any DjangoDirectory
    /// `parley_django_up`: 1 if it answered the last query, else 0.
    private let up: Gauge

    init(_ site: any DjangoDirectory, metrics factory: any MetricsFactory) {
        self.site = site
        up = Gauge(label: "parley_django_up", factory: factory)
    }

    func sessions(_ keys: [String]) async throws(StoreError) -> [String: String] {
        try await watched { () throws(StoreError) in try await site.sessions(keys) }
    }

    func users(_ keys: [String]) async throws(StoreError) -> [String: DjangoUser] {
        try await watched { () throws(StoreError) in try await site.users(keys) }
    }

    func check() async throws(StoreError) {
        try await watched { () throws(StoreError) in try await site.check() }
    }

    func close() async {
        await site.close()
    }

    private func watched<Value>(_ body: () async throws(StoreError) -> Value) async throws(StoreError) -> Value {
        do {
            let value = try await body()
            up.record(1)
            return value
        } catch {
            up.record(0)
            throw error
        }
    }
}
