import NIOCore
import ParleyFanOut
package import ParleyModel

/// What this node tells operators of its sockets, and does to them for them.
extension Gateway {
    /// How many users have WebSockets here.
    package var userCount: Int { counts.users }

    /// How many TCP connections the HTTP and WebSocket door has.
    package var connectionCount: Int { counts.connections }

    /// The sockets of a user, and how far they are in those of these threads that the user is in.
    /// - Returns: at most `NodeReply.maximumSockets`, and how many there are.
    package func sockets(
        of user: UserID, in threads: [ThreadID]
    ) async -> (sockets: [SocketReport], count: Int) {
        let progress = await fanOut.progress(in: threads)
        let known = threads.compactMap { thread in progress[thread].map { (thread: thread, position: $0) } }
        let now = clock.milliseconds
        return await onLoops { roster in
            let sockets = roster.sockets(of: user)
            return (Self.reports(sockets, at: now, known), sockets.count)
        }
    }

    /// The sockets of a thread's members, and how far they are in it.
    /// - Returns: at most `NodeReply.maximumSockets`, how many there are, and whether the node is subscribed.
    package func sockets(
        in thread: ThreadID
    ) async -> (sockets: [SocketReport], count: Int, follows: Bool) {
        guard let position = await fanOut.progress(in: [thread])[thread] else { return ([], 0, false) }
        let now = clock.milliseconds
        let (sockets, count) = await onLoops { roster in
            let (some, count) = roster.sockets(in: thread, limit: NodeReply.maximumSockets)
            return (Self.reports(some, at: now, [(thread, position)]), count)
        }
        return (sockets, count, true)
    }

    /// Closes all sockets of a user with 4001.
    /// - Returns: how many.
    package func closeSockets(of user: UserID) async -> Int {
        await onLoops { roster in
            let sockets = roster.sockets(of: user)
            for (_, socket) in sockets { socket.sessionRevoked() }
            return ([], sockets.count)
        }.count
    }

    private static func reports(
        _ sockets: [(user: User, socket: any RosterMember)], at now: Int64,
        _ progress: [(thread: ThreadID, position: Position?)]
    ) -> [SocketReport] {
        sockets.prefix(NodeReply.maximumSockets).compactMap { user, socket in
            (socket as? any ReportingSocket)?.report(of: user, at: now, progress)
        }
    }

    /// Asks the roster of every loop.
    private func onLoops(
        _ body: @escaping @Sendable (LoopRoster) -> ([SocketReport], Int)
    ) async -> (sockets: [SocketReport], count: Int) {
        var (all, count): ([SocketReport], Int) = ([], 0)
        for (index, loop) in fanOut.loops.enumerated() {
            let reply = try? await loop.submit { [fanOut] in body(fanOut.roster(index)) }.get()
            all += reply?.0 ?? []
            count += reply?.1 ?? 0
        }
        return (Array(all.prefix(NodeReply.maximumSockets)), count)
    }
}
