import ParleyModel

extension HistoryQuery {
    /// Default page size.
    static let defaultLength: Int64 = 30
    /// Maximum page size for clients.
    static let maximumLength: Int64 = 200

    /// `limit` and at most one of `before_seq`, `after_seq`, `around_seq`, `at`.
    init(_ fields: Fields) throws(APIError) {
        var places: [Place] = []
        if let seq = try fields.number("before_seq", upTo: MessageQuery.maximumSeq) { places.append(.before(seq)) }
        if let seq = try fields.number("after_seq", upTo: MessageQuery.maximumSeq) { places.append(.after(seq)) }
        if let seq = try fields.number("around_seq", upTo: MessageQuery.maximumSeq) { places.append(.around(seq)) }
        if let text = try fields.textIfPresent("at") {
            guard let instant = Timestamp.milliseconds(text) else {
                throw .badRequest("at is no date; allowed is \(Timestamp.explanation)")
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
