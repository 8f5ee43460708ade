import NIOCore
import ParleyFanOut
package import ParleyModel

/// Connections of this node, for operators.
extension Gateway {
    /// The sockets of a user, and their progress in the given threads that the user is a member of.
    /// - Returns: at most `NodeReply.maximumSockets`, and how many there are.
    package func sockets(
        of user: UserID, in threads: [ThreadID]
    ) async -> (sockets: [SocketReport], count: Int) {
        let progress = await fanOut.progress(in: threads)
        let known = threads.compactMap { thread in progress[thread].map { (thread: thread, position: $0) } }
        return await reports(known) { roster in
            let sockets = roster.sockets(of: user)
            return (sockets, sockets.count)
        }
    }

    /// The sockets of a thread's members, and their progress in it.
    /// - Returns: at most `NodeReply.maximumSockets`, how many there are, and whether the node is subscribed.
    package func sockets(
        in thread: ThreadID
    ) async -> (sockets: [SocketReport], count: Int, follows: Bool) {
        guard let position = await fanOut.progress(in: [thread])[thread] else { return ([], 0, false) }
        let (sockets, count) = await reports([(thread, position)]) { roster in
            roster.sockets(in: thread, limit: NodeReply.maximumSockets)
        }
        return (sockets, count, true)
    }

    /// Closes all sockets of a user with 4001.
    /// - Returns: how many.
    package func closeSockets(of user: UserID) async -> Int {
        await loops.map { [fanOut] loop in
            let sockets = fanOut.roster(loop.index).sockets(of: user)
            for (_, socket) in sockets { socket.sessionRevoked() }
            return sockets.count
        }.reduce(0, +)
    }

    /// Reports on the members that `find` selects on each loop.
    /// - Parameter find: returns members, and how many there are.
    private func reports(
        _ progress: [(thread: ThreadID, position: Position?)],
        _ find: @escaping @Sendable (LoopRoster) -> ([(user: User, socket: any RosterMember)], Int)
    ) async -> (sockets: [SocketReport], count: Int) {
        let now = services.clock.milliseconds
        let perLoop = await loops.map { [fanOut] loop -> (sockets: [SocketReport], count: Int) in
            let (all, count) = find(fanOut.roster(loop.index))
            let members = all.prefix(NodeReply.maximumSockets)
            let statuses = loop.connections.statuses(of: Set(members.map(\.socket.connection)))
            let reports = members.compactMap { user, socket in
                statuses[socket.connection]?.report(of: user, at: now, progress)
            }
            return (reports, count)
        }
        return (
            Array(perLoop.flatMap(\.sockets).prefix(NodeReply.maximumSockets)), perLoop.reduce(0) { $0 + $1.count }
        )
    }
}
