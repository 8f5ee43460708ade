import ParleyModel

/// What the channel of a user's presence carries, written by a script: `1` or `0`, when the user was last seen or `-`,
/// and the stamp, with blanks between. Neither encrypted nor for Django.
enum PresencePayload {
    /// `nil` if it is none.
    static func presence(of user: UserID, _ payload: [UInt8]) -> UserPresence? {
        let words = String(decoding: payload, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[0] == "1" || words[0] == "0", let stamp = Int64(words[2]) else { return nil }
        let lastSeen = Int64(words[1])
        guard lastSeen != nil || words[1] == "-" else { return nil }
        return UserPresence(user: user, isOnline: words[0] == "1", lastSeen: lastSeen, stamp: stamp)
    }
}
