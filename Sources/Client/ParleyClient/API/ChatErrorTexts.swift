public import Foundation

/// The texts that explain errors to the user, by code.
///
/// `localizedDescription` of a ``ChatError`` uses ``app``: the strings table `ParleyClient` of the app, if it has one,
/// and otherwise the app's language, English or German. An app that keeps its texts elsewhere passes a
/// look-up:
///
/// ```swift
/// let texts = ChatErrorTexts { code in translations["chat.error.\(code)"] }
/// label = texts.text(for: error)
/// ```
///
/// A text may contain `%@`, which is replaced by the limit that was exceeded. ``codes`` has all codes.
public struct ChatErrorTexts: Sendable {
    private let lookup: @Sendable (_ code: String) -> String?

    /// Creates texts from a look-up.
    /// - Parameters:
    ///   - fallback: The texts of codes that the look-up does not have.
    ///   - lookup: A closure that returns the text of a code, one of ``codes``, or `nil`.
    public init(
        fallback: ChatErrorTexts = .english, _ lookup: @escaping @Sendable (_ code: String) -> String?
    ) {
        self.lookup = { code in lookup(code) ?? fallback.lookup(code) }
    }

    private init(_ table: [String: String]) { lookup = { table[$0] } }

    /// The texts in English.
    public static let english = ChatErrorTexts(englishTable)

    /// The texts in German.
    public static let german = ChatErrorTexts(germanTable)

    /// The texts of the app: its strings table `ParleyClient` in the main bundle, with ``codes`` as keys, and
    /// ``preferred(_:)`` for other codes, with the languages that the app is shown in.
    public static let app = ChatErrorTexts { code in
        let languages = Bundle.main.preferredLocalizations
        let text = ChatErrorTexts.preferred(languages).lookup(code)
        return Bundle.main.localizedString(forKey: code, value: text, table: "ParleyClient")
    }

    /// Returns the texts in the first known language.
    /// - Parameter languages: The languages, most preferred first, for example `de-AT`. English if none is known.
    public static func preferred(_ languages: [String]) -> ChatErrorTexts {
        for language in languages {
            switch language.prefix(2).lowercased() {
            case "en": return .english
            case "de": return .german
            default: continue
            }
        }
        return .english
    }

    /// The codes of all texts, sorted.
    public static var codes: [String] { englishTable.keys.sorted() }

    /// Returns the text that explains an error.
    /// - Parameter error: The error.
    public func text(for error: ChatError) -> String {
        let text = lookup(error.code) ?? Self.englishTable[error.code] ?? error.description
        return text.replacingOccurrences(of: "%@", with: error.limit ?? "")
    }

    /// Returns the text that explains any error that a call of the library has thrown.
    /// - Parameter error: The error. Errors that are not a ``ChatError`` explain themselves.
    public func text(for error: any Error) -> String {
        (error as? ChatError).map { text(for: $0) } ?? error.localizedDescription
    }
}

extension ChatError: LocalizedError {
    /// The text that explains the error to the user; see ``ChatErrorTexts/app``.
    public var errorDescription: String? { ChatErrorTexts.app.text(for: self) }

    /// The code of the error's text: the server's code, or one of the client. It does not change between versions.
    public var code: String {
        switch self {
        case .offline: "offline"
        case .refused(let code, _): code.rawValue
        case .noAnswer: "no_answer"
        case .unauthorized: ServerErrorCode.unauthorized.rawValue
        case .invalid(let input, _): input.code
        case .unknown: "unknown"
        case .storage: "storage"
        case .storageInUse: "storage_in_use"
        case .shutDown: "shut_down"
        }
    }

    /// The limit that was exceeded, as the text shows it.
    fileprivate var limit: String? {
        guard case .invalid(let input, _) = self else { return nil }
        switch input {
        case .textTooLong(let count), .tooManyParts(let count), .outboxFull(let count): return "\(count)"
        case .fileTooLarge(let bytes), .waitingFilesTooLarge(let bytes):
            // Without a formatter, which would choose the system's language instead of that of the text.
            return bytes >= 1 << 20 ? "\(bytes >> 20) MB" : bytes >= 1 << 10 ? "\(bytes >> 10) kB" : "\(bytes) B"
        default: return nil
        }
    }
}

extension InvalidInput {
    fileprivate var code: String {
        switch self {
        case .messageEmpty: "message_empty"
        case .textTooLong: "text_too_long"
        case .textNotAllowed: "text_not_allowed"
        case .tooManyParts: "too_many_parts"
        case .emoji: "emoji"
        case .fileName: "file_name"
        case .mediaType: "media_type"
        case .fileEmpty: "file_empty"
        case .fileUnreadable: "file_unreadable"
        case .fileTooLarge: "file_too_large"
        case .foreignFile: "foreign_file"
        case .outboxFull: "outbox_full"
        case .waitingFilesTooLarge: "waiting_files_too_large"
        case .beingSent: "being_sent"
        case .address: "address"
        }
    }
}
