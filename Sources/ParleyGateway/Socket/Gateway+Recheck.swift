import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyModel

/// The end of sessions that other systems have made, of which nobody tells.
extension Gateway {
    /// How many sessions of other systems are asked for at the same time: more than a query of theirs takes.
    private static let sessionWidth = 1000

    /// Asks for the sessions of other systems once more, and sends the sockets off whose session is over.
    package func recheckForeignSessions() async {
        var found: [TokenHash: User] = [:]
        for (index, loop) in fanOut.loops.enumerated() {
            let some = try? await loop.submit { [fanOut] in fanOut.roster(index).foreignSessions() }.get()
            found.merge(some ?? [:]) { $1 }
        }
        await withTaskGroup(of: Void.self) { [sessions, fanOut] group in
            for (index, (token, user)) in found.enumerated() {
                if index >= Self.sessionWidth { await group.next() }
                group.addTask {
                    // Nobody is sent off because nobody can tell.
                    guard (try? await sessions.isAlive(token, of: user)) == false else { return }
                    fanOut.apply(.sessionRevoked(token), to: user.id)
                }
            }
        }
    }
}
