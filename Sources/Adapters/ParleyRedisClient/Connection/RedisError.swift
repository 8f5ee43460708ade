/// The reason that a command has no reply.
package enum RedisError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not sent: there is no connection.
    case notConnected(String)
    /// Not sent: too many commands are waiting.
    case overloaded
    /// Sent, but the connection was lost: Redis may have executed it.
    case lost
    /// An error reply of Redis; its first word is the code.
    case refused(String)
    /// A reply of a type that the command does not have.
    case unexpected(String)
    /// Sent, but not answered in time: Redis may still execute it.
    case late

    package var description: String {
        switch self {
        case .notConnected(let reason): "no connection to Redis: \(reason)"
        case .overloaded: "too many commands are waiting for Redis"
        case .lost: "the connection to Redis was lost"
        case .refused(let text): "Redis refused: \(text)"
        case .unexpected(let text): "unexpected reply from Redis: \(text)"
        case .late: "Redis has not answered in time"
        }
    }
}
