import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyModel

/// Finds auth sessions that have ended in another system, which publishes no event of it.
struct SessionRecheck: Sendable {
    let fanOut: FanOut
    let sessions: AuthSessions

    /// The most sessions that are looked up at the same time: more than one query of the other system takes.
    private static let width = 1000

    /// Looks up all sessions of other systems, and closes the sockets of ended ones.
    func run() async {
        var found: [TokenHash: User] = [:]
        for (index, loop) in fanOut.loops.enumerated() {
            let some = try? await loop.submit { [fanOut] in fanOut.roster(index).foreignSessions() }.get()
            found.merge(some ?? [:]) { $1 }
        }
        await withTaskGroup(of: Void.self) { [sessions, fanOut] group in
            for (index, (token, user)) in found.enumerated() {
                if index >= Self.width { await group.next() }
                group.addTask {
                    // A session whose state is unknown stays open.
                    guard (try? await sessions.isAlive(token, of: user)) == false else { return }
                    fanOut.apply(.sessionRevoked(token), to: user.id)
                }
            }
        }
    }
}
