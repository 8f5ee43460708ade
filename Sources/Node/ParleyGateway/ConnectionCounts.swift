package import ParleyAccounts
package import ParleyModel
import Synchronization

/// Counts and limits the connections of this node: sockets in total, by user and by address; separately, HTTP
/// connections that are no sockets, in total and by address. Shared by all event loops behind a mutex, which is taken
/// when a connection opens or closes.
///
/// An address is the block of one subscriber: of IPv6 a network of 64 bits. Connections of a trusted proxy count in
/// total only, and each request that it forwards counts for the client's address.
package final class ConnectionCounts: Sendable {
    package enum Rejection: Error, Hashable {
        case tooManyOfUser(limit: Int)
        case tooManyFromAddress(limit: Int)
        case nodeFull(limit: Int)
        /// The limit of connections that are not sockets.
        case tooManyRequests(limit: Int)
    }

    /// The entry that an HTTP connection is counted by.
    package struct Place: Sendable {
        /// `nil` if it counts in total only.
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
        /// Connections that are no sockets, and requests that trusted proxies forward.
        var othersByBlock: [String: Int] = [:]
    }

    private let limits: Limits
    private let spare: Int
    private let trustedProxies: TrustedProxies
    private let metrics: GatewayMetrics?
    private let limitReached: @Sendable (ReachedLimit) -> Void
    private let state = Mutex(State())
    /// Counts the open sockets.
    let noSockets = ActivityCounter()
    /// Counts the open TCP connections of the HTTP listener.
    let noConnections = ActivityCounter()

    /// - Parameters:
    ///   - spare: the most connections that are not, or not yet, sockets.
    ///   - metrics: `nil` in a process without sockets.
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

    /// The number of open sockets.
    package var sockets: Int { state.withLock { $0.sockets } }

    /// The number of users with sockets.
    package var users: Int { state.withLock { $0.byUser.count } }

    /// The number of open TCP connections of the HTTP and WebSocket listener.
    package var connections: Int { state.withLock { $0.others + $0.kept } }

    /// The number of open connections of the line listener.
    package var lines: Int { state.withLock { $0.lines } }

    // MARK: HTTP connections

    /// Counts an accepted TCP connection; must be followed by `closeConnection` if there is room for it.
    /// - Parameter peer: the peer's address; a connection without one counts in total only.
    /// - Returns: `nil` if there is no room.
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

    /// Counts a connection that is detached from its channel, which closes; must be followed by `closeKept`.
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

    /// Counts a request that a trusted proxy forwards; must be followed by `closeRequest`.
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

    /// Counts a socket that is about to open; must be followed by `closeSocket` in any case.
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

    /// Counts an accepted connection of the line listener; must be followed by `closeLine`.
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

    /// The limits that sockets and lines share.
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
