/// An error of the client library.
///
/// ``remedy`` says what an app does about an error, and `localizedDescription` what it shows, in English or German; see
/// ``ChatErrorTexts`` for other languages and words.
///
/// ```swift
/// do {
///     try await client.joinRoom(title: title)
/// } catch {
///     switch ChatRemedy(for: error) {
///     case .logIn: showLogin()
///     case .tryLater: banner = error.localizedDescription
///     case .retry: retryable = error.localizedDescription
///     case .show: alert = error.localizedDescription
///     case .ignore: break
///     }
/// }
/// ```
public enum ChatError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The client has no connection to the server, and did not try the request.
    case offline
    /// The server responded with an error. The message is in English, for logs.
    case refused(code: ServerErrorCode, message: String)
    /// The server did not respond in time, or its response cannot be decoded. The request may have taken effect.
    case noAnswer(String)
    /// The server refused the credentials, and new ones are required.
    case unauthorized
    /// The input is not allowed or exceeds a limit, and was not sent. The reason is in English, for logs.
    case invalid(InvalidInput, String)
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
        case .invalid(_, let reason), .unknown(let reason): reason
        case .storage(let reason): "the database cannot be used: \(reason)"
        case .storageInUse: "another client has the database open"
        case .shutDown: "the client is shut down"
        }
    }
}

/// The reasons for which the client itself refuses an input.
public enum InvalidInput: Hashable, Sendable {
    /// A message has neither text nor parts nor files.
    case messageEmpty
    /// A text has more Unicode scalars than the limit.
    case textTooLong(Int)
    /// A text contains a NUL character.
    case textNotAllowed
    /// A message has more parts and files than the limit.
    case tooManyParts(Int)
    /// An emoji does not have 1 to 64 bytes.
    case emoji
    /// The name of a file is empty, too long, or has slashes or control characters.
    case fileName
    /// The media type of a file does not have the form of one.
    case mediaType
    /// A file has no bytes.
    case fileEmpty
    /// A file does not exist, cannot be read, or changes while it is read.
    case fileUnreadable
    /// A file has more bytes than the limit.
    case fileTooLarge(bytes: Int)
    /// A file is not an attachment of this server, or a file of this device is not in ``ChatDraft/files``.
    case foreignFile
    /// As many sends and changes wait as ``ChatConfiguration/outboxLimit`` allows.
    case outboxFull(Int)
    /// The files that wait have as many bytes as ``ChatConfiguration/pendingFilesLimit`` allows.
    case waitingFilesTooLarge(bytes: Int)
    /// The message is being transmitted, so it cannot be discarded.
    case beingSent
    /// A URL is not the address of a server.
    case address
}
