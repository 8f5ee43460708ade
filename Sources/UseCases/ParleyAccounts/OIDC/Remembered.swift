/// A document of a provider that is kept, and when it is read again. A value; times are Unix milliseconds.
struct Remembered<Document: Sendable>: Sendable {
    /// The time for which a document is not read again.
    static var fresh: Int64 { 3_600_000 }
    /// The time for which a document is used if it cannot be read again.
    static var stale: Int64 { 86_400_000 }
    /// The time for which a provider that failed is not asked again.
    static var pause: Int64 { 5_000 }
    /// The minimum time between two readings because of something that the document does not have.
    static var betweenRefreshes: Int64 { 10_000 }

    enum Step: Sendable {
        case use(Document)
        case read
        case fail(ProviderError)
    }

    private var document: Document?
    private var readAt: Int64 = .min
    private var failure: ProviderError?
    private var failedAt: Int64 = .min

    func step(at now: Int64) -> Step {
        let age = Self.age(since: readAt, at: now)
        if let document, age < Self.fresh { return .use(document) }
        guard let failure, Self.age(since: failedAt, at: now) < Self.pause else { return .read }
        if let document, age < Self.stale { return .use(document) }
        return .fail(failure)
    }

    /// Whether the document may be read again although it is fresh.
    func mayRefresh(at now: Int64) -> Bool {
        Self.age(since: max(readAt, failedAt), at: now) >= Self.betweenRefreshes
    }

    mutating func didRead(_ document: Document, at now: Int64) {
        self.document = document
        readAt = now
        failure = nil
    }

    mutating func didFail(_ error: ProviderError, at now: Int64) {
        failure = error
        failedAt = now
    }

    /// A clock that was set back makes everything old.
    private static func age(since instant: Int64, at now: Int64) -> Int64 {
        guard instant != .min, now >= instant else { return .max }
        return now - instant
    }
}
