/// An error of the client library.
public enum ChatError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The client has no connection to the server, and did not try the request.
    case offline
    /// The server responded with an error.
    case refused(code: ServerErrorCode, message: String)
    /// The server did not respond in time, or its response cannot be decoded.
    case noAnswer(String)
    /// The server refused the credentials, and new ones are required.
    case unauthorized
    /// The input exceeds a limit and was not sent.
    case invalid(String)
    /// The client does not know a thread or message with this ID.
    case unknown(String)
    /// The database on this device cannot be read or written.
    case storage(String)
    /// Another client, in this or another process, has the database open.
    case storageInUse
    /// The client is shut down.
    case shutDown

    /// A description of the error in English, for logs.
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
