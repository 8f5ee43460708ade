import NIOCore
import ParleyChannels
package import ParleyModel
import ParleyRedisClient
import Synchronization

/// The presence registry on Redis. Each node has a lease on every host, and each user a key, on the host of that key,
/// with the nodes that hold connections of the user. A change of a key is published in the same step.
///
/// A node writes states, not a history: it keeps the set of users whose key may differ from the local state and writes
/// them until Redis has accepted them. An outage thus delays changes and loses none. When a host no longer has the
/// lease (it was emptied, or the node was silent for too long), all users of the node are written again.
///
/// A lock protects the present users and the users to write. The former are bounded by the users connected here, the
/// departed among the latter by `limit`. The keys of departed users that are dropped become invalid when the lease
/// expires, or are corrected when the users return.
package final class RedisPresence: PresenceRegistry {
    private struct State {
        var present: Set<UserID> = []
        var unwritten: Set<UserID> = []
        var isScheduled = false
    }

    /// The number of users in one script call.
    private static let batch = 100

    private let hosts: RedisHosts
    private let settings: RedisPresenceSettings
    private let limit: Int
    /// Identifies this process, as opposed to earlier ones with the same name.
    private let node: String
    private let state = Mutex(State())

    /// - Parameter limit: the maximum number of users waiting to be written.
    package init(hosts: RedisHosts, settings: RedisPresenceSettings = .init(), limit: Int = 400_000) {
        self.hosts = hosts
        self.settings = settings
        self.limit = limit
        var generator = SystemRandomNumberGenerator()
        node = Epoch.make(using: &generator).text + Epoch.make(using: &generator).text
    }

    // MARK: Writing

    package func connected(_ user: UserID) {
        note(user, isPresent: true)
    }

    package func disconnected(_ user: UserID) {
        note(user, isPresent: false)
    }

    private func note(_ user: UserID, isPresent: Bool) {
        let isFirst = state.withLock { state in
            if isPresent { state.present.insert(user) } else { state.present.remove(user) }
            if state.unwritten.count < limit { state.unwritten.insert(user) }
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        // The timer runs on an arbitrary loop and keeps this object alive until it fires.
        if isFirst { hosts.commands[0].eventLoop.scheduleTask(in: TimeAmount(settings.pause)) { self.write() } }
    }

    /// Writes the waiting users.
    private func write() {
        let users = state.withLock { state in
            state.isScheduled = false
            defer { state.unwritten = [] }
            return state.unwritten.map { ($0, isPresent: state.present.contains($0)) }
        }
        let ring = hosts.layout.ring
        for (host, users) in Dictionary(grouping: users, by: { ring.host(of: key($0.0)) }) {
            for start in stride(from: 0, to: users.count, by: Self.batch) {
                write(Array(users[start..<min(start + Self.batch, users.count)]), to: host)
            }
        }
    }

    private func write(_ users: [(UserID, isPresent: Bool)], to host: Int) {
        var command = RedisScripts.presenceWrite.command(
            keys: [hosts.layout.names.presenceNodes] + users.map { key($0.0) }, arguments: 3 + users.count,
            capacity: 256 + 128 * users.count)
        command.append(node)
        command.append(milliseconds(settings.lease))
        command.append(settings.retention.components.seconds)
        for user in users { command.append(user.isPresent ? "1" : "0") }
        hosts.commands[host].send(command) { [self] result in
            switch result {
            case .success(.integer(let isKnown)):
                if isKnown == 0 { writeAll(of: host, but: Set(users.map(\.0))) }
            case .success(let reply):
                if case .error(let text) = reply, text.hasPrefix("NOSCRIPT") { hosts.commands[host].loadScripts() }
                writeLater(users.map(\.0))
            case .failure:
                writeLater(users.map(\.0))
            }
        }
    }

    /// Keeps users that could not be written; `run` retries them.
    private func writeLater(_ users: [UserID]) {
        state.withLock { state in
            for user in users where state.unwritten.count < limit { state.unwritten.insert(user) }
        }
    }

    /// Writes all users again on a host that has lost this node's state.
    private func writeAll(of host: Int, but written: Set<UserID> = []) {
        let ring = hosts.layout.ring
        state.withLock { state in
            let users = state.present.filter { ring.host(of: key($0)) == host && !written.contains($0) }
            state.unwritten.formUnion(users)
        }
        write()
    }

    // MARK: Lease

    /// Renews the lease and retries failed writes until the task is cancelled.
    package func run() async {
        let clock = ContinuousClock()
        var written = clock.now
        while true {
            await withTaskGroup(of: Void.self) { group in
                for host in hosts.commands.indices { group.addTask { await self.renew(on: host) } }
            }
            if clock.now - written > settings.retention / 4 {
                // The keys of users who stay must not expire.
                state.withLock { $0.unwritten.formUnion($0.present) }
                written = clock.now
            }
            // In several steps, so that users are written soon after an outage.
            for _ in 0..<5 {
                guard (try? await Task.sleep(for: settings.renewal / 5)) != nil else { return }
                write()
            }
        }
    }

    private func renew(on host: Int) async {
        guard let reply = try? await hosts.commands[host].send(lease(settings.lease), within: settings.timeout),
            reply.number == 0
        else { return }
        writeAll(of: host)
    }

    /// Ends the lease when the node stops.
    package func leave() async {
        // On the same connections, so this is executed before the lease ends.
        write()
        for connection in hosts.commands {
            _ = try? await connection.send(lease(.zero), within: settings.timeout)
        }
    }

    private func lease(_ duration: Duration) -> RESPCommand {
        var command = RedisScripts.presenceRenew.command(keys: [hosts.layout.names.presenceNodes], arguments: 3)
        command.append(node)
        command.append(milliseconds(duration))
        command.append(settings.retention.components.seconds)
        return command
    }

    // MARK: Read cursors

    /// Returns the states of users, leaving out the users whose host is unavailable.
    package func states(of users: [UserID]) async throws(SharedStoreError) -> [UserPresence] {
        var states: [UserPresence] = []
        var failure: SharedStoreError?
        let ring = hosts.layout.ring
        let byHost = Dictionary(grouping: users) { ring.host(of: key($0)) }
        for (host, users) in byHost {
            do throws(SharedStoreError) {
                for start in stride(from: 0, to: users.count, by: Self.batch) {
                    states += try await self.states(
                        of: users[start..<min(start + Self.batch, users.count)], on: host)
                }
            } catch {
                failure = error
            }
        }
        if let failure, states.isEmpty { throw failure }
        return states
    }

    private func states(of users: ArraySlice<UserID>, on host: Int) async throws(SharedStoreError) -> [UserPresence] {
        var command = RedisScripts.presenceRead.command(
            keys: [hosts.layout.names.presenceNodes] + users.map(key), arguments: 2, capacity: 256 + 96 * users.count)
        command.append(milliseconds(settings.lease))
        command.append(settings.retention.components.seconds)
        let values = try await query(command, of: host)
        guard values.count == 1 + 2 * users.count, let stamp = values[0].number?.within(LogBounds.microseconds) else {
            throw .unavailable("unexpected reply")
        }
        return users.enumerated().map { index, user in
            let isOnline = values[1 + 2 * index].number == 1
            let seen = values[2 + 2 * index].number.flatMap { isOnline ? nil : $0.within(LogBounds.dates) }
            return UserPresence(user: user, isOnline: isOnline, lastSeen: seen, stamp: stamp)
        }
    }

    package func leases() async throws(SharedStoreError) -> Set<String> {
        var leases: Set<String> = []
        for host in hosts.commands.indices {
            let command = RedisScripts.presenceLeases.command(
                keys: [hosts.layout.names.presenceNodes], arguments: 0)
            leases.formUnion(try await query(command, of: host).compactMap(\.text).map { "\(host) \($0)" })
        }
        return leases
    }

    private func query(_ command: RESPCommand, of host: Int) async throws(SharedStoreError) -> [RESPValue] {
        do {
            return try await hosts.commands[host].send(command, within: settings.timeout).elements ?? []
        } catch {
            throw .unavailable("\(error)")
        }
    }

    private func key(_ user: UserID) -> String {
        hosts.layout.names.presence(of: user)
    }

    private func milliseconds(_ duration: Duration) -> Int64 {
        Int64(duration / .milliseconds(1))
    }
}
