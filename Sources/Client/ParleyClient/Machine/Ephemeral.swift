/// State that is not stored: typing users, presence, and reported profiles.
package struct Ephemeral: Sendable {
    /// The time that a typing notification is valid for.
    package static let typingLasts = Duration.seconds(6)
    /// The interval between the user's own typing notifications. The server forwards one every 3 s, and drops one that
    /// arrives early.
    package static let typingEvery = Duration.milliseconds(3_500)
    /// The maximum number of typing users per thread.
    package static let maximumTypists = 50
    /// The maximum number of reported profiles. Beyond it, profiles of other users are not kept.
    package static let maximumProfiles = 500

    package struct Typist: Sendable {
        let user: ChatUser
        var until: Duration
    }

    package private(set) var typists: [String: [Typist]] = [:]
    /// The time of the user's latest typing notification, by thread.
    private var typed: [String: Duration] = [:]
    package private(set) var watched: [String] = []
    package private(set) var presence: [ChatUser.ID: ChatPresence] = [:]

    /// The users whose profiles the server has reported as changed on this connection, as they are now.
    package private(set) var profiles: [ChatUser.ID: ChatUser] = [:]

    package var deadline: Duration? { typists.values.joined().map(\.until).min() }

    /// - Returns: The threads whose typing users have changed.
    package mutating func expire(at now: Duration) -> [String] {
        var changed: [String] = []
        for (thread, list) in typists {
            let rest = list.filter { $0.until > now }
            guard rest.count < list.count else { continue }
            typists[thread] = rest.isEmpty ? nil : rest
            changed.append(thread)
        }
        return changed
    }

    package mutating func startTyping(thread: String, user: ChatUser, at now: Duration) {
        var list = (typists[thread] ?? []).filter { $0.user.id != user.id }
        if list.count < Self.maximumTypists { list.append(Typist(user: user, until: now + Self.typingLasts)) }
        typists[thread] = list
    }

    /// - Returns: Whether the user was typing.
    package mutating func stopTyping(thread: String, user: String) -> Bool {
        guard let list = typists[thread], list.contains(where: { $0.user.id.rawValue == user }) else { return false }
        let rest = list.filter { $0.user.id.rawValue != user }
        typists[thread] = rest.isEmpty ? nil : rest
        return true
    }

    /// Returns whether to send the user's own typing notification.
    package mutating func mayType(thread: String, isOn: Bool, at now: Duration) -> Bool {
        if !isOn { return typed.removeValue(forKey: thread) != nil }
        if let last = typed[thread], now - last < Self.typingEvery { return false }
        typed[thread] = now
        return true
    }

    package mutating func forget(thread: String) {
        typists[thread] = nil
        typed[thread] = nil
    }

    package mutating func watch(_ users: [String]) {
        watched = users
        presence = presence.filter { users.contains($0.key.rawValue) }
    }

    package mutating func set(_ state: ChatPresence, for user: ChatUser.ID) {
        if watched.contains(user.rawValue) { presence[user] = state }
    }

    package mutating func changed(_ user: ChatUser) {
        if profiles.count < Self.maximumProfiles || profiles[user.id] != nil { profiles[user.id] = user }
    }

    /// - Returns: Whether known state was lost.
    package mutating func connectionEnded() -> Bool {
        let wasKnown = !typists.isEmpty || !presence.isEmpty
        typists = [:]
        typed = [:]
        presence = [:]
        // Changes during the interruption are not reported.
        profiles = [:]
        return wasKnown
    }
}
