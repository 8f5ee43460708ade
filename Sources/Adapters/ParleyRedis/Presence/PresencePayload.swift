import ParleyModel

/// The payload of a user's presence channel, written by a script: `1` or `0`, the last-seen time or `-`, and the stamp,
/// separated by spaces. Neither encrypted nor read by Django.
enum PresencePayload {
    /// Parses a payload; `nil` if it is malformed.
    static func presence(of user: UserID, _ payload: [UInt8]) -> UserPresence? {
        let fields = String(decoding: payload, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard fields.count == 3, fields[0] == "1" || fields[0] == "0",
            let stamp = Int64(fields[2])?.within(LogBounds.microseconds)
        else { return nil }
        let lastSeen = Int64(fields[1])?.within(LogBounds.dates)
        guard lastSeen != nil || fields[1] == "-" else { return nil }
        return UserPresence(user: user, isOnline: fields[0] == "1", lastSeen: lastSeen, stamp: stamp)
    }
}
