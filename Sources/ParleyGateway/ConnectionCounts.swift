import ParleyModel
import Synchronization

/// How many connections there are on this node: in all, by user and by address. Shared by all event loops; asked when
/// a connection opens or closes, never while it lives.
final class ConnectionCounts: Sendable {
    enum Refusal: Error, Hashable {
        case tooManyOfUser(limit: Int)
        case tooManyFromAddress(limit: Int)
        case nodeFull(limit: Int)
    }

    private struct State {
        var connections = 0
        var sockets = 0
        var lineSockets = 0
        var byUser: [UserID: Int] = [:]
        var byAddress: [String: Int] = [:]
        /// Who waits until there is no connection.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let limits: Limits
    private let connectionLimit: Int
    private let metrics: GatewayMetrics
    private let state = Mutex(State())

    /// - Parameter spare: connections that are not (yet) sockets, at most.
    init(limits: Limits, spare: Int, metrics: GatewayMetrics) {
        self.limits = limits
        connectionLimit = limits.connections > 0 ? limits.connections + spare : .max
        self.metrics = metrics
    }

    /// How many sockets are open.
    var sockets: Int { state.withLock { $0.sockets } }

    /// A TCP connection was accepted.
    /// - Returns: whether there is room for it.
    func openConnection() -> Bool {
        let count: Int? = state.withLock { state in
            guard state.connections < connectionLimit else { return nil }
            state.connections += 1
            return state.connections
        }
        guard let count else { return false }
        metrics.connections(count)
        return true
    }

    func closeConnection() {
        let (count, waiting): (Int, [CheckedContinuation<Void, Never>]) = state.withLock { state in
            state.connections -= 1
            guard state.connections == 0 else { return (state.connections, []) }
            defer { state.waiting = [] }
            return (0, state.waiting)
        }
        metrics.connections(count)
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when no connection is open.
    func allClosed() async {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if state.connections > 0 { state.waiting.append(continuation) }
                return state.connections == 0
            }
            if isClosed { continuation.resume() }
        }
    }

    /// Lets everybody go who waits in `allClosed`.
    func giveUpWaiting() {
        let waiting: [CheckedContinuation<Void, Never>] = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// A socket is about to open; to be followed by `closeSocket`, whatever becomes of it.
    func openSocket(of user: UserID, from address: String) throws(Refusal) {
        let result: Result<Int, Refusal> = state.withLock { state in
            if limits.connections > 0, state.sockets >= limits.connections {
                return .failure(.nodeFull(limit: limits.connections))
            }
            if limits.connectionsPerUser > 0, state.byUser[user, default: 0] >= limits.connectionsPerUser {
                return .failure(.tooManyOfUser(limit: limits.connectionsPerUser))
            }
            if limits.connectionsPerAddress > 0, state.byAddress[address, default: 0] >= limits.connectionsPerAddress {
                return .failure(.tooManyFromAddress(limit: limits.connectionsPerAddress))
            }
            state.sockets += 1
            state.byUser[user, default: 0] += 1
            state.byAddress[address, default: 0] += 1
            return .success(state.sockets)
        }
        metrics.webSockets(try result.get())
    }

    func closeSocket(of user: UserID, from address: String) {
        let count = state.withLock { state in
            state.sockets -= 1
            Self.decrement(&state.byUser, user)
            Self.decrement(&state.byAddress, address)
            return state.sockets
        }
        metrics.webSockets(count)
    }

    /// A connection of the line door was accepted; to be followed by `closeLine`.
    func openLine(from address: String) throws(Refusal) {
        let result: Result<Int, Refusal> = state.withLock { state in
            if limits.connections > 0, state.sockets + state.lineSockets >= limits.connections {
                return .failure(.nodeFull(limit: limits.connections))
            }
            if limits.connectionsPerAddress > 0, state.byAddress[address, default: 0] >= limits.connectionsPerAddress {
                return .failure(.tooManyFromAddress(limit: limits.connectionsPerAddress))
            }
            state.lineSockets += 1
            state.byAddress[address, default: 0] += 1
            return .success(state.lineSockets)
        }
        metrics.lineSockets(try result.get())
    }

    func closeLine(from address: String) {
        let count = state.withLock { state in
            state.lineSockets -= 1
            Self.decrement(&state.byAddress, address)
            return state.lineSockets
        }
        metrics.lineSockets(count)
    }

    private static func decrement<Key>(_ counts: inout [Key: Int], _ key: Key) {
        guard let count = counts[key] else { return }
        counts[key] = count > 1 ? count - 1 : nil
    }
}
