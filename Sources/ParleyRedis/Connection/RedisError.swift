/// Why a command has no answer.
package enum RedisError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It was not sent: there is no connection.
    case notConnected(String)
    /// It was not sent: too many wait.
    case overloaded
    /// It was sent, and the connection was lost: Redis may have done it.
    case lost
    /// Redis refused, in its words; the first is the code.
    case refused(String)
    /// Not what such a command is answered with.
    case unexpected(String)
    /// It was sent, and there is no answer yet.
    case late

    package var description: String {
        switch self {
        case .notConnected(let reason): "no connection to Redis: \(reason)"
        case .overloaded: "too many commands wait for Redis"
        case .lost: "the connection to Redis was lost"
        case .refused(let text): "Redis refused: \(text)"
        case .unexpected(let text): "Redis gave an unexpected answer: \(text)"
        case .late: "Redis has not answered in time"
        }
    }
}
