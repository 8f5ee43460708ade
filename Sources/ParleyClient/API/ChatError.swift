/// Why something was not done.
public enum ChatError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no connection to the server; what needs one was not tried.
    case offline
    /// The server answered with an error.
    case refused(code: ServerErrorCode, message: String)
    /// The server gave no answer in time, or one that is not understood.
    case noAnswer(String)
    /// The credentials are refused; new ones are needed.
    case unauthorized
    /// The input breaks a limit, and was not sent.
    case invalid(String)
    /// No thread or message of this id is known to this client.
    case unknown(String)
    /// The database on this device cannot be read or written.
    case storage(String)
    /// Another client, in this or another process, has the database open.
    case storageInUse
    /// The client is shut down.
    case shutDown

    /// For logs, in English.
    public var description: String {
        switch self {
        case .offline: "there is no connection"
        case .refused(let code, let message): "\(code.rawValue): \(message)"
        case .noAnswer(let reason): "no answer: \(reason)"
        case .unauthorized: "the credentials are refused"
        case .invalid(let reason), .unknown(let reason): reason
        case .storage(let reason): "the database cannot be used: \(reason)"
        case .storageInUse: "another client has the database open"
        case .shutDown: "the client is shut down"
        }
    }
}

extension ServerFrame.Refusal {
    var error: ChatError { .refused(code: code, message: message) }
}
