/// Why a command has no answer.
package enum RedisError: Error, Hashable, Sendable {
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
}
