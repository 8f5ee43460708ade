import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyModel
import ParleySession
import ParleyWire

/// The first frame: who the client is here, and how the user's threads stand.
extension V1SocketHandler {
    /// How long to wait before what the hello needs is looked up again.
    private static let timeout = TimeAmount.milliseconds(500)
    /// How long the client waits for its hello at most, in tries.
    private static let tries = 20

    /// Reads how the threads stand; then says hello with where their live events begin.
    func greet(try number: Int = 1) {
        let (directory, user) = (gateway.directory, user.id)
        // One more than is told, which says whether there are others.
        let limit = V1Limits.helloThreads + 1
        ask(on: gateway.executors[loop], { try await directory.readStates(of: user, limit: limit) }) {
            handler, readStates in
            guard let readStates else { return handler.greetLater(after: number) }
            handler.greet(readStates, try: number)
        }
    }

    private func greet(_ readStates: [ReadState], try number: Int) {
        guard let eventLoop, let local else { return }
        // Those that are live here at this moment; what changes from now on is told behind the hello.
        var unlisted = local.memberships
        var threads: [V1Thread] = []
        for readState in readStates {
            guard let membership = unlisted.remove(readState.thread) else { continue }
            threads.append(
                V1Thread(
                    thread: membership.thread, role: membership.role, unread: readState.unreadCount,
                    readSeq: readState.readSeq))
        }
        // The store may know of more than `standings` has, and of fewer than are live.
        if readStates.count <= V1Limits.helloThreads {
            let fresh = unlisted.all.sorted { $0.thread.id.text < $1.thread.id.text }
            threads = fresh.map { V1Thread(thread: $0.thread, role: $0.role) } + threads
        }
        let hasMore = threads.count > V1Limits.helloThreads || readStates.count > V1Limits.helloThreads
        let listed = Array(threads.prefix(V1Limits.helloThreads))
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        gateway.fanOut.ends(of: listed.map(\.thread.id), on: loop) { ends in
            guard let ends else { return bound.value.greetLater(after: number) }
            bound.value.sayHello(listed, ends, hasMore: hasMore)
        }
    }

    private func greetLater(after number: Int) {
        guard number < Self.tries else { return close(.unavailable) }
        later(Self.timeout) { $0.greet(try: number + 1) }
    }

    private func sayHello(_ threads: [V1Thread], _ ends: [ThreadID: Position], hasMore: Bool) {
        let placed = threads.map { thread in
            var thread = thread
            thread.head = ends[thread.thread.id]
            return thread
        }
        let hello = V1Hello(
            connection: connection, node: gateway.settings.node, user: user, serverTime: milliseconds,
            pingIntervalMilliseconds: Self.pingInterval * 1000, limits: gateway.settings.limits,
            ticket: gateway.resumeTicket(for: identity), threads: placed, hasMore: hasMore)
        perform { $0.opened(hello, at: $1, self, &$2) }
    }
}
