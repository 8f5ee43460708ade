/// The reaction of an app to an error.
public enum ChatRemedy: String, Hashable, Sendable, CaseIterable {
    /// The credentials are not accepted: ask the user to log in, and call ``ChatClient/start()``.
    case logIn
    /// The same call may succeed later, when there is a connection or the server is less busy: show the text where it
    /// does not interrupt, and let the user repeat.
    case tryLater
    /// The call may have taken effect, and its answer was lost: offer to repeat it, after a look at the state.
    case retry
    /// The same call fails again: show the text, so that the user can change something.
    case show
    /// Nothing happened that a user needs to know, for example because a view was closed.
    case ignore

    /// Returns what to do about any error that a call of the library has thrown.
    /// - Parameter error: The error. A `CancellationError` is ignored, and errors of others are shown.
    public init(for error: any Error) {
        self =
            switch error {
            case let error as ChatError: error.remedy
            case is CancellationError: .ignore
            default: .show
            }
    }
}

extension ChatError {
    /// The reaction of an app to the error.
    public var remedy: ChatRemedy {
        switch self {
        case .offline: .tryLater
        case .noAnswer: .retry
        case .unauthorized: .logIn
        case .refused(let code, _): code.remedy
        case .invalid(let input, _): input.remedy
        case .unknown, .storage, .storageInUse: .show
        case .shutDown: .ignore
        }
    }
}

extension ServerErrorCode {
    fileprivate var remedy: ChatRemedy {
        switch self {
        case .unauthorized: .logIn
        case .rateLimited, .unavailable, .other: .tryLater
        case .badRequest, .tooLarge, .unknownCommand, .notFound, .notAMember, .forbidden, .conflict: .show
        }
    }
}

extension InvalidInput {
    fileprivate var remedy: ChatRemedy {
        switch self {
        case .outboxFull, .waitingFilesTooLarge, .beingSent: .tryLater
        default: .show
        }
    }
}
