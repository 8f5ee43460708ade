/// An error reply.
package struct CommandError: Error, Hashable, Sendable {
    /// With its code as the first word.
    package let text: String

    init(_ text: String) {
        self.text = text
    }

    static let wrongType = CommandError("WRONGTYPE Operation against a key holding the wrong kind of value")
    static let syntax = CommandError("ERR syntax error")
    static let notInteger = CommandError("ERR value is not an integer or out of range")
    static let notFloat = CommandError("ERR value is not a valid float")
    static let outOfMemory = CommandError("OOM command not allowed when used memory > 'maxmemory'.")
    static let readOnly = CommandError("READONLY You can't write against a read only replica.")
    static let loading = CommandError("LOADING Redis is loading the dataset in memory")
    static let noScript = CommandError("NOSCRIPT No matching script. Please use EVAL.")
    static let unauthenticated = CommandError("NOAUTH Authentication required.")

    /// The request is not modelled: a simulation with such a reply shows nothing.
    static func notModelled(_ what: String) -> CommandError {
        CommandError("\(notModelledCode) \(what)")
    }

    static let notModelledCode = "NOTMODELLED"

    static func wrongNumber(of command: String) -> CommandError {
        CommandError("ERR wrong number of arguments for '\(command)' command")
    }
}
