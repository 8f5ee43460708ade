import ParleyModel

extension Fields {
    /// Returns the place to continue from, or `nil` for the first page.
    /// - Parameter place: Parses a cursor; returns `nil` for a text that no response has as its `next_cursor`.
    func cursor<Place>(_ place: (String) -> Place?) throws(APIError) -> Place? {
        guard let text = try textIfPresent("cursor") else { return nil }
        guard let place = place(text) else {
            throw .badRequest("cursor is not a next_cursor of an earlier response")
        }
        return place
    }
}

extension HistoryQuery {
    /// The default page size.
    static let defaultLength: Int64 = 30
    /// The maximum page size for clients.
    static let maximumLength: Int64 = 200

    /// Parses `limit`, and at most one of `before_seq`, `after_seq`, `around_seq` and `at`.
    init(_ fields: Fields) throws(APIError) {
        var places: [Place] = []
        if let seq = try fields.number("before_seq", upTo: MessageQuery.maximumSeq) { places.append(.before(seq)) }
        if let seq = try fields.number("after_seq", upTo: MessageQuery.maximumSeq) { places.append(.after(seq)) }
        if let seq = try fields.number("around_seq", upTo: MessageQuery.maximumSeq) { places.append(.around(seq)) }
        if let text = try fields.textIfPresent("at") {
            guard let instant = Timestamp.milliseconds(text) else {
                throw .badRequest("at is not a date; allowed is \(Timestamp.explanation)")
            }
            places.append(.at(instant))
        }
        guard places.count <= 1 else {
            throw .badRequest("at most one of before_seq, after_seq, around_seq and at is allowed")
        }
        let limit = try fields.number("limit", from: 1, upTo: Self.maximumLength) ?? Self.defaultLength
        self.init(places.first ?? .newest, limit: Int(limit))
    }
}

extension MessageQuery {
    /// The end of the year 9999. Conversions to milliseconds cannot overflow below it.
    static let maximumSeconds: Int64 = 253_402_300_799
    /// The largest integer that JSON numbers represent exactly in all implementations.
    static let maximumSeq: Int64 = 9_007_199_254_740_991

    /// Parses the bounds of a classic page: `before`, `after`, `before_seq`, `after_seq`. Without a seq, the page never ends
    /// within a second.
    init(_ fields: Fields, limit: Int) throws(APIError) {
        self.init(
            before: try fields.number("before", upTo: Self.maximumSeconds),
            after: try fields.number("after", upTo: Self.maximumSeconds),
            beforeSeq: try fields.number("before_seq", upTo: Self.maximumSeq),
            afterSeq: try fields.number("after_seq", upTo: Self.maximumSeq),
            limit: limit)
        keepsSecondsWhole = beforeSeq == nil && afterSeq == nil
    }
}
