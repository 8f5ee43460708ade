package import ParleyAccounts
package import ParleyModel
import Synchronization

/// How many connections there are on this node: sockets in all, by user and by address; and, counted apart, the HTTP
/// connections that are no sockets, in all and by address. Shared by all event loops; asked when a connection opens or
/// closes, never while it lives.
///
/// An address is what one subscriber has: of IPv6 a network of 64 bits. A trusted proxy is no client: its connections
/// count in all only, and what it forwards counts for those who it is from, request by request.
package final class ConnectionCounts: Sendable {
    package enum Rejection: Error, Hashable {
        case tooManyOfUser(limit: Int)
        case tooManyFromAddress(limit: Int)
        case nodeFull(limit: Int)
        /// Of what is no socket.
        case tooManyRequests(limit: Int)
    }

    /// What an HTTP connection is counted under.
    package struct Place: Sendable {
        /// `nil`: no client's.
        fileprivate let block: String?
    }

    private struct State {
        var others = 0
        var kept = 0
        var sockets = 0
        var lines = 0
        var byUser: [UserID: Int] = [:]
        /// Sockets and lines.
        var byBlock: [String: Int] = [:]
        /// Connections that are no sockets, and requests that proxies have forwarded.
        var othersByBlock: [String: Int] = [:]
    }

    private let limits: Limits
    private let spare: Int
    private let trustedProxies: TrustedProxies
    private let metrics: GatewayMetrics?
    private let limitReached: @Sendable (ReachedLimit) -> Void
    private let state = Mutex(State())
    /// No socket is open.
    let noSockets = ActivityCounter()
    /// No TCP connection of the HTTP listener is open.
    let noConnections = ActivityCounter()

    /// - Parameters:
    ///   - spare: connections that are not, or not yet, sockets, at most.
    ///   - metrics: `nil` in a process that has no sockets.
    package init(
        limits: Limits, spare: Int, trustedProxies: TrustedProxies = TrustedProxies(), metrics: GatewayMetrics?,
        limitReached: (@Sendable (ReachedLimit) -> Void)? = nil
    ) {
        self.limits = limits
        self.spare = spare
        self.trustedProxies = trustedProxies
        self.metrics = metrics
        self.limitReached = limitReached ?? { metrics?.reached($0) }
    }

    /// How many sockets are open.
    package var sockets: Int { state.withLock { $0.sockets } }

    /// How many users have sockets.
    package var users: Int { state.withLock { $0.byUser.count } }

    /// How many TCP connections of the HTTP and WebSocket listener are open.
    package var connections: Int { state.withLock { $0.others + $0.kept } }

    /// How many connections of the line listener are open.
    package var lines: Int { state.withLock { $0.lines } }

    // MARK: HTTP connections

    /// A TCP connection was accepted; to be followed by `closeConnection` if there is room for it.
    /// - Parameter peer: the other end's address; `nil` if it has none, which counts in all only.
    /// - Returns: `nil` if there is none.
    package func openConnection(from peer: String?) -> Place? {
        let place = Place(block: peer.flatMap { isTrusted($0) ? nil : AddressBlock.name(of: $0) })
        let reached: ReachedLimit? = state.withLock { state in
            guard state.others < spare else { return .spareConnections }
            if let block = place.block {
                guard hasRoom(state.othersByBlock[block]) else { return .connectionsPerAddress }
                state.othersByBlock[block, default: 0] += 1
            }
            state.others += 1
            return nil
        }
        if let reached {
            limitReached(reached)
            return nil
        }
        noConnections.enter()
        metrics?.opened(.any)
        return place
    }

    package func closeConnection(_ place: Place) {
        state.withLock { state in
            state.others -= 1
            if let block = place.block { Self.decrement(&state.othersByBlock, block) }
        }
        metrics?.closed(.any)
        noConnections.leave()
    }

    /// A connection leaves its channel, which closes, and lives on as a socket's; `closeKept` follows.
    func keepConnection() {
        state.withLock { $0.kept += 1 }
        noConnections.enter()
        metrics?.opened(.any)
    }

    func closeKept() {
        state.withLock { $0.kept -= 1 }
        metrics?.closed(.any)
        noConnections.leave()
    }

    /// A trusted proxy has forwarded a client's request; to be followed by `closeRequest`.
    package func openRequest(from address: String) throws(Rejection) {
        let block = AddressBlock.name(of: address)
        let isOpen = state.withLock { state in
            guard hasRoom(state.othersByBlock[block]) else { return false }
            state.othersByBlock[block, default: 0] += 1
            return true
        }
        if !isOpen { throw noted(.tooManyRequests(limit: limits.connectionsPerAddress)) }
    }

    package func closeRequest(from address: String) {
        let block = AddressBlock.name(of: address)
        state.withLock { Self.decrement(&$0.othersByBlock, block) }
    }

    // MARK: Sockets and lines

    /// A socket is about to open; to be followed by `closeSocket`, whatever becomes of it.
    package func openSocket(of user: UserID, from address: String) throws(Rejection) {
        let block = AddressBlock.name(of: address)
        let rejection: Rejection? = state.withLock { state in
            if let rejection = commonRejection(block, state) { return rejection }
            if limits.connectionsPerUser > 0, state.byUser[user, default: 0] >= limits.connectionsPerUser {
                return .tooManyOfUser(limit: limits.connectionsPerUser)
            }
            state.sockets += 1
            state.byUser[user, default: 0] += 1
            state.byBlock[block, default: 0] += 1
            return nil
        }
        if let rejection { throw noted(rejection) }
        noSockets.enter()
        metrics?.opened(.webSocket)
    }

    package func closeSocket(of user: UserID, from address: String) {
        let block = AddressBlock.name(of: address)
        state.withLock { state in
            state.sockets -= 1
            Self.decrement(&state.byUser, user)
            Self.decrement(&state.byBlock, block)
        }
        metrics?.closed(.webSocket)
        noSockets.leave()
    }

    /// A connection of the line listener was accepted; to be followed by `closeLine`.
    package func openLine(from address: String) throws(Rejection) {
        let block = isTrusted(address) ? nil : AddressBlock.name(of: address)
        let rejection: Rejection? = state.withLock { state in
            if let rejection = commonRejection(block, state) { return rejection }
            state.lines += 1
            if let block { state.byBlock[block, default: 0] += 1 }
            return nil
        }
        if let rejection { throw noted(rejection) }
        metrics?.opened(.line)
    }

    package func closeLine(from address: String) {
        let block = isTrusted(address) ? nil : AddressBlock.name(of: address)
        state.withLock { state in
            state.lines -= 1
            if let block { Self.decrement(&state.byBlock, block) }
        }
        metrics?.closed(.line)
    }

    // MARK: Bounds

    private func isTrusted(_ peer: String) -> Bool {
        IPAddress(peer).map(trustedProxies.contains) ?? false
    }

    private func hasRoom(_ count: Int?) -> Bool {
        limits.connectionsPerAddress == 0 || (count ?? 0) < limits.connectionsPerAddress
    }

    private func noted(_ rejection: Rejection) -> Rejection {
        switch rejection {
        case .tooManyOfUser: limitReached(.connectionsPerUser)
        case .tooManyFromAddress, .tooManyRequests: limitReached(.connectionsPerAddress)
        case .nodeFull: limitReached(.connections)
        }
        return rejection
    }

    /// The bounds that hold for sockets and lines together.
    private func commonRejection(_ block: String?, _ state: borrowing State) -> Rejection? {
        if limits.connections > 0, state.sockets + state.lines >= limits.connections {
            return .nodeFull(limit: limits.connections)
        }
        if let block, !hasRoom(state.byBlock[block]) {
            return .tooManyFromAddress(limit: limits.connectionsPerAddress)
        }
        return nil
    }

    private static func decrement<Key>(_ counts: inout [Key: Int], _ key: Key) {
        guard let count = counts[key] else { return }
        counts[key] = count > 1 ? count - 1 : nil
    }
}
