import Foundation
import ParleyClient
import Testing

/// The texts that people read when something fails, and the reactions of apps.
@Suite struct ErrorTextTests {
    private static let inputs: [InvalidInput] = [
        .messageEmpty, .textTooLong(4096), .textNotAllowed, .tooManyParts(10), .emoji, .fileName, .mediaType,
        .fileEmpty, .fileUnreadable, .fileTooLarge(bytes: 8 << 20), .foreignFile, .outboxFull(7),
        .waitingFilesTooLarge(bytes: 3000), .beingSent, .address,
    ]

    private static let others: [ChatError] = [
        .offline, .noAnswer("x"), .unauthorized, .unknown("x"), .storage("x"), .storageInUse, .shutDown,
    ]

    /// An error of each kind.
    private static let errors: [ChatError] =
        ServerErrorCode.all.map { ChatError.refused(code: $0, message: "for logs") } + others
        + inputs.map { ChatError.invalid($0, "for logs") }

    @Test("each error has a text in English and in German, under its code, and each text belongs to an error")
    func complete() {
        #expect(Set(Self.errors.map(\.code)) == Set(ChatErrorTexts.codes))
        for error in Self.errors {
            let (english, german) = (ChatErrorTexts.english.text(for: error), ChatErrorTexts.german.text(for: error))
            #expect(english != german && !english.contains("%@") && !german.contains("%@"), "\(error)")
            for text in [english, german] {
                #expect(text.hasSuffix(".") && text.first?.isLowercase == false, "\(text)")
                #expect(!text.contains("for logs") && !text.contains(error.code + "_"), "\(text)")
            }
        }
    }

    @Test("localizedDescription is the text, also of an error that is only known as Error")
    func localized() {
        for error in Self.errors {
            let known: any Error = error
            #expect(ChatErrorTexts.english.text(for: error) == known.localizedDescription)
            #expect(!known.localizedDescription.contains("ChatError"))
        }
    }

    @Test("a text names the limit that was exceeded")
    func limits() {
        let error = ChatError.invalid(.fileTooLarge(bytes: 8 << 20), "x")
        #expect(ChatErrorTexts.english.text(for: error) == "The file is too large; at most 8 MB are allowed.")
        #expect(ChatErrorTexts.german.text(for: .invalid(.textTooLong(4096), "x")).contains("4096 Zeichen"))
        #expect(ChatErrorTexts.english.text(for: .invalid(.waitingFilesTooLarge(bytes: 3000), "x")).contains("2 kB"))
    }

    @Test(
        "the first language that is known decides",
        arguments: [
            (["de-AT", "en"], true), (["fr", "de"], true), (["en-GB", "de"], false), (["fr"], false), ([], false),
        ])
    func languages(preferred: [String], isGerman: Bool) {
        let texts = isGerman ? ChatErrorTexts.german : .english
        #expect(ChatErrorTexts.preferred(preferred).text(for: ChatError.offline) == texts.text(for: ChatError.offline))
    }

    @Test("an app's own texts come first, and the others stay")
    func own() {
        let texts = ChatErrorTexts(fallback: .german) { $0 == "offline" ? "Funkloch" : nil }
        #expect(texts.text(for: ChatError.offline) == "Funkloch")
        #expect(texts.text(for: ChatError.unauthorized) == ChatErrorTexts.german.text(for: ChatError.unauthorized))
        struct Other: LocalizedError { var errorDescription: String? { "other" } }
        #expect(texts.text(for: Other()) == "other")
    }

    @Test("there is an error for each remedy, and each error has one")
    func remedies() {
        #expect(Set(Self.errors.map(\.remedy)) == Set(ChatRemedy.allCases))
        let expected: [(ChatError, ChatRemedy)] = [
            (.offline, .tryLater), (.noAnswer(""), .retry), (.unauthorized, .logIn), (.shutDown, .ignore),
            (.refused(code: .rateLimited, message: ""), .tryLater), (.refused(code: .forbidden, message: ""), .show),
            (.refused(code: .unauthorized, message: ""), .logIn), (.invalid(.outboxFull(1), ""), .tryLater),
            (.invalid(.messageEmpty, ""), .show), (.storage(""), .show),
        ]
        for (error, remedy) in expected { #expect(ChatRemedy(for: error) == remedy, "\(error)") }
        #expect(ChatRemedy(for: CancellationError()) == .ignore)
        #expect(ChatRemedy(for: URLError(.timedOut)) == .show)
    }
}

extension ServerErrorCode {
    static let all: [ServerErrorCode] = [
        .badRequest, .tooLarge, .unknownCommand, .notFound, .notAMember, .forbidden, .conflict, .rateLimited,
        .unavailable, .unauthorized, .other,
    ]
}
