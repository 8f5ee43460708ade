import ParleyTestSupport

/// Members of one thread, each with a socket, who all send at the same time.
///
/// Each sends its messages one after the other with a window of unanswered ones, as people's clients do, and keeps
/// everything that reaches it. Texts are `NAME/NUMBER`.
struct UserPopulation {
    /// One member's part.
    struct Member {
        let user: TestUser
        let socket: TestSocket
    }

    let members: [Member]
    let thread: String

    /// Signs up `count` people who join one new room and open a socket each.
    static func gather(_ count: Int, in title: String, port: Int) async throws -> UserPopulation {
        var members: [Member] = []
        var thread = ""
        for number in 0..<count {
            let user = try await TestUser.signUp("member\(number)", port: port)
            thread = try await user.join(title)
            members.append(Member(user: user, socket: try await user.socket()))
        }
        return UserPopulation(members: members, thread: thread)
    }

    /// Everybody sends `each` messages and receives until everything has come, or the socket has ended.
    /// - Parameter received: Called for every message at its arrival, with the index of the member it reached.
    /// - Returns: What each member received, in the order of arrival.
    func talk(
        each: Int, window: Int = 32, received: @escaping @Sendable (Int, ClassicMessage) -> Void = { _, _ in }
    ) async throws -> [[ClassicMessage]] {
        try await withThrowingTaskGroup(of: (Int, [ClassicMessage]).self) { group in
            for (index, member) in members.enumerated() {
                group.addTask {
                    let messages = try await run(member, each: each, window: window) { received(index, $0) }
                    return (index, messages)
                }
            }
            var all = [[ClassicMessage]](repeating: [], count: members.count)
            for try await (index, messages) in group { all[index] = messages }
            return all
        }
    }

    private func run(
        _ member: Member, each: Int, window: Int, received: (ClassicMessage) -> Void
    ) async throws -> [ClassicMessage] {
        var messages: [ClassicMessage] = []
        var sent = 0
        var back = 0
        while messages.count < each * members.count {
            while sent < each, sent - back < window {
                do {
                    try await member.socket.say("\(member.user.name)/\(sent)", in: thread)
                } catch {
                    // The socket has ended; what has come can still be read.
                    sent = each
                    break
                }
                sent += 1
            }
            guard let text = try await member.socket.next(within: .seconds(60)) else { break }
            let message = try ClassicMessage(parsing: text)
            if message.senderID == member.user.id { back += 1 }
            messages.append(message)
            received(message)
        }
        return messages
    }

    /// What `user` should have unread after `history` (oldest first): all after the user's own last message.
    func expectedUnread(of user: TestUser, in history: [ClassicMessage]) -> Int {
        let own = history.lastIndex { $0.senderID == user.id } ?? -1
        return history.count - 1 - own
    }
}
