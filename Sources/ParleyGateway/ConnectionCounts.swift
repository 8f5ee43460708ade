package import ParleyModel
import Synchronization

/// How many connections there are on this node: in all, by user and by address. Shared by all event loops; asked when
/// a connection opens or closes, never while it lives.
package final class ConnectionCounts: Sendable {
    package enum Refusal: Error, Hashable {
        case tooManyOfUser(limit: Int)
        case tooManyFromAddress(limit: Int)
        case nodeFull(limit: Int)
    }

    private struct State {
        var connections = 0
        var sockets = 0
        var lines = 0
        var byUser: [UserID: Int] = [:]
        var byAddress: [String: Int] = [:]
        /// Who waits until there is no connection.
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// Nobody is to wait any more.
        var isGivenUp = false

        mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
            defer { waiting = [] }
            return waiting
        }
    }

    private let limits: Limits
    private let connectionLimit: Int
    private let metrics: GatewayMetrics
    private let state = Mutex(State())

    /// - Parameter spare: connections that are not (yet) sockets, at most.
    package init(limits: Limits, spare: Int, metrics: GatewayMetrics) {
        self.limits = limits
        connectionLimit = limits.connections > 0 ? limits.connections + spare : .max
        self.metrics = metrics
    }

    /// How many sockets are open.
    package var sockets: Int { state.withLock { $0.sockets } }

    /// How many users have sockets.
    package var users: Int { state.withLock { $0.byUser.count } }

    /// How many TCP connections of the HTTP and WebSocket door are open.
    package var connections: Int { state.withLock { $0.connections } }

    /// How many connections of the line door are open.
    package var lines: Int { state.withLock { $0.lines } }

    // MARK: The HTTP and WebSocket door

    /// A TCP connection was accepted; to be followed by `closeConnection` if there is room for it.
    /// - Returns: whether there is.
    package func openConnection() -> Bool {
        let hasRoom = state.withLock { state in
            guard state.connections < connectionLimit else { return false }
            state.connections += 1
            return true
        }
        if hasRoom { metrics.opened(.any) } else { metrics.reached(.spareConnections) }
        return hasRoom
    }

    /// A connection leaves its channel and lives on: `closeConnection` follows for both.
    func keepConnection() {
        state.withLock { $0.connections += 1 }
        metrics.opened(.any)
    }

    package func closeConnection() {
        let waiting = state.withLock { state in
            state.connections -= 1
            return state.connections == 0 ? state.takeWaiting() : []
        }
        metrics.closed(.any)
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when no connection is open, or `giveUpWaiting` was called.
    package func allClosed() async {
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard state.connections > 0, !state.isGivenUp else { return false }
                state.waiting.append(continuation)
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    /// Lets everybody go who waits in `allClosed`, or comes to wait there.
    package func giveUpWaiting() {
        let waiting = state.withLock { state in
            state.isGivenUp = true
            return state.takeWaiting()
        }
        for continuation in waiting { continuation.resume() }
    }

    // MARK: Sockets and lines

    /// A socket is about to open; to be followed by `closeSocket`, whatever becomes of it.
    package func openSocket(of user: UserID, from address: String) throws(Refusal) {
        let refusal: Refusal? = state.withLock { state in
            if let refusal = commonRefusal(address, state) { return refusal }
            if limits.connectionsPerUser > 0, state.byUser[user, default: 0] >= limits.connectionsPerUser {
                return .tooManyOfUser(limit: limits.connectionsPerUser)
            }
            state.sockets += 1
            state.byUser[user, default: 0] += 1
            state.byAddress[address, default: 0] += 1
            return nil
        }
        if let refusal { throw noted(refusal) }
        metrics.opened(.webSocket)
    }

    package func closeSocket(of user: UserID, from address: String) {
        state.withLock { state in
            state.sockets -= 1
            Self.decrement(&state.byUser, user)
            Self.decrement(&state.byAddress, address)
        }
        metrics.closed(.webSocket)
    }

    /// A connection of the line door was accepted; to be followed by `closeLine`.
    package func openLine(from address: String) throws(Refusal) {
        let refusal: Refusal? = state.withLock { state in
            if let refusal = commonRefusal(address, state) { return refusal }
            state.lines += 1
            state.byAddress[address, default: 0] += 1
            return nil
        }
        if let refusal { throw noted(refusal) }
        metrics.opened(.line)
    }

    package func closeLine(from address: String) {
        state.withLock { state in
            state.lines -= 1
            Self.decrement(&state.byAddress, address)
        }
        metrics.closed(.line)
    }

    private func noted(_ refusal: Refusal) -> Refusal {
        switch refusal {
        case .tooManyOfUser: metrics.reached(.connectionsPerUser)
        case .tooManyFromAddress: metrics.reached(.connectionsPerAddress)
        case .nodeFull: metrics.reached(.connections)
        }
        return refusal
    }

    /// The bounds that hold for both doors together.
    private func commonRefusal(_ address: String, _ state: borrowing State) -> Refusal? {
        if limits.connections > 0, state.sockets + state.lines >= limits.connections {
            return .nodeFull(limit: limits.connections)
        }
        if limits.connectionsPerAddress > 0, state.byAddress[address, default: 0] >= limits.connectionsPerAddress {
            return .tooManyFromAddress(limit: limits.connectionsPerAddress)
        }
        return nil
    }

    private static func decrement<Key>(_ counts: inout [Key: Int], _ key: Key) {
        guard let count = counts[key] else { return }
        counts[key] = count > 1 ? count - 1 : nil
    }
}
