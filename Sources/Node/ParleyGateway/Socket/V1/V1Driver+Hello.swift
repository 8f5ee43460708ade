import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyMessaging
import ParleyModel
import ParleySession
import ParleyWire

/// The hello frame: who the client is on this node, and the state of the user's threads.
extension V1Driver {
    /// The delay before the state of the threads is looked up again.
    private static let retryDelay = TimeAmount.milliseconds(500)
    /// The number of look-ups before the connection is closed.
    private static let tries = 20

    /// Reads the state of the user's threads; then sends hello with the positions where live events begin.
    func sendHello(try number: Int = 1) {
        let (messaging, user) = (services.messaging, user.id)
        // One more than is sent, to see whether there are others.
        let limit = V1Limits.helloThreads + 1
        loop.request(for: self, on: loop.executor, { try await messaging.readStates(of: user, limit: limit) }) {
            driver, readStates in
            guard let readStates else { return driver.sendHelloLater(after: number) }
            driver.sendHello(readStates, try: number)
        }
    }

    private func sendHello(_ readStates: [ReadState], try number: Int) {
        guard isOpen, let local = connection.local else { return }
        // The memberships that are live here at this moment; later changes follow the hello.
        var unlisted = local.memberships
        let now = services.clock.milliseconds
        var threads: [V1Thread] = []
        for readState in readStates {
            guard let membership = unlisted.remove(readState.thread) else { continue }
            var thread = V1Thread(membership, at: now)
            (thread.unread, thread.readSeq) = (readState.unreadCount, readState.readSeq)
            threads.append(thread)
        }
        // The store may have more memberships than `readStates` has, and fewer than are live.
        if readStates.count <= V1Limits.helloThreads {
            let fresh = unlisted.all.sorted { $0.thread.id.text < $1.thread.id.text }
            threads = fresh.map { V1Thread($0, at: now) } + threads
        }
        let hasMore = threads.count > V1Limits.helloThreads || readStates.count > V1Limits.helloThreads
        let listed = Array(threads.prefix(V1Limits.helloThreads))
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        services.delivery.fanOut.ends(of: listed.map(\.thread.id), on: loop.index) { ends in
            bound.value.sendHello(listed, ends, hasMore: hasMore)
        }
    }

    private func sendHelloLater(after number: Int) {
        guard number < Self.tries else { return connection.close(.unavailable) }
        loop.later(Self.retryDelay, for: self) { $0.sendHello(try: number + 1) }
    }

    private func sendHello(_ threads: [V1Thread], _ ends: ThreadEnds, hasMore: Bool) {
        let placed = threads.map { thread in
            var thread = thread
            thread.head = ends.positions[thread.thread.id]
            thread.isUnavailable = ends.unavailable.contains(thread.thread.id)
            // A membership that has ended since is reported after the hello.
            thread.begin(at: connection.membership(of: thread.thread.id)?.start)
            return thread
        }
        let settings = services.settings
        let hello = V1Hello(
            connection: connection.id, node: settings.node, user: user, serverTime: services.clock.milliseconds,
            pingIntervalMilliseconds: WebSocketConnection.pingInterval * 1000, limits: settings.limits,
            ticket: resumeTicket, threads: placed, hasMore: hasMore,
            blocks: connection.local.map { $0.blocks.made.sorted { $0.text < $1.text } } ?? [])
        step { $0.opened(hello, at: $1, &$2) }
    }
}
