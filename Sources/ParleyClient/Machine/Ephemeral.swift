/// What is not kept: who is typing, who is online.
package struct Ephemeral: Sendable {
    /// How long a notice of typing counts without another one.
    package static let typingLasts = Duration.seconds(6)
    /// How often the user's own typing is sent. The server shows it every 3 s; what the network brings a little early is
    /// dropped.
    package static let typingEvery = Duration.milliseconds(3_500)
    /// Bounds what one thread can make a client remember.
    package static let maximumTypists = 50

    package struct Typist: Sendable {
        let user: ChatUser
        var until: Duration
    }

    package private(set) var typists: [String: [Typist]] = [:]
    /// When the user's own typing was sent last, by thread.
    private var typed: [String: Duration] = [:]
    package private(set) var watched: [String] = []
    package private(set) var presence: [String: ChatPresence] = [:]

    package var deadline: Duration? { typists.values.joined().map(\.until).min() }

    /// - Returns: the threads whose typists have changed.
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
        guard let list = typists[thread], list.contains(where: { $0.user.id == user }) else { return false }
        let rest = list.filter { $0.user.id != user }
        typists[thread] = rest.isEmpty ? nil : rest
        return true
    }

    /// Whether the user's own typing is to be sent.
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
        presence = presence.filter { users.contains($0.key) }
    }

    package mutating func set(_ state: ChatPresence, for user: String) {
        if watched.contains(user) { presence[user] = state }
    }

    /// - Returns: Whether something is no longer known.
    package mutating func connectionEnded() -> Bool {
        let wasKnown = !typists.isEmpty || !presence.isEmpty
        typists = [:]
        typed = [:]
        presence = [:]
        return wasKnown
    }
}
