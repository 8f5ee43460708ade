import Foundation
import ParleyAccounts
import ParleyModel
import ParleyTestContracts
import Synchronization

/// The Django site that the vectors were made with.
final class TestSite: DjangoDirectory {
    struct State: Sendable {
        /// By key: the row's data, and its expiry in Unix milliseconds.
        var sessions: [String: (data: String, expires: Int64)] = [:]
        var users: [String: DjangoUser] = [:]
        /// Thrown by every call.
        var failure: StoreError?
    }

    /// A session of alice, and one of erin, who has no usable password.
    static let alice = "vector01abcdefghijklmnopqrstuvwx"
    static let erin = "vector07abcdefghijklmnopqrstuvwx"

    private let state = Mutex(State())
    private let clock: TestClock

    init(clock: TestClock) throws {
        self.clock = clock
        let vectors = try Vectors.load()
        let users = vectors.users.map { user in
            (
                String(user.id),
                DjangoUser(username: user.username, password: user.password, isActive: user.isActive)
            )
        }
        let rows = try vectors.dbSessions.vectors.compactMap(\.row).map { row in
            (
                row.sessionKey,
                (row.sessionData, Int64(try Date(row.expireDate, strategy: .iso8601).timeIntervalSince1970) * 1000)
            )
        }
        edit {
            $0.users = Dictionary(uniqueKeysWithValues: users)
            // One vector is only another spelling of the cookie of another one.
            for (key, row) in rows { $0.sessions[key] = row }
        }
    }

    /// The settings of the site.
    static func settings() throws -> DjangoSettings {
        let meta = try Vectors.load().meta
        var settings = DjangoSettings(secretKey: Secret(text: meta.secretKey))
        settings.fallbacks = meta.secretKeyFallbacks.map { Secret(text: $0) }
        return settings
    }

    /// Reads or changes the site's data.
    @discardableResult
    func edit<Value: Sendable>(_ body: (inout sending State) -> sending Value) -> Value {
        state.withLock(body)
    }

    func sessions(_ keys: [String]) async throws(StoreError) -> [String: String] {
        let now = clock.milliseconds
        let found = state.withLock { state in
            state.failure == nil ? keys.map { ($0, state.sessions[$0]) } : nil
        }
        guard let found else { throw .unavailable("the site's database is away") }
        return found.reduce(into: [:]) { response, entry in
            if let row = entry.1, row.expires > now { response[entry.0] = row.data }
        }
    }

    func users(_ keys: [String]) async throws(StoreError) -> [String: DjangoUser] {
        let found = state.withLock { state in
            state.failure == nil ? state.users.filter { keys.contains($0.key) } : nil
        }
        guard let found else { throw .unavailable("the site's database is away") }
        return found
    }

    func check() async throws(StoreError) {}

    func close() async {}
}
