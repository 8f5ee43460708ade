import ParleyModel

extension MessageQuery {
    /// The end of the year 9999, so that conversion to milliseconds cannot overflow.
    static let maximumSeconds: Int64 = 253_402_300_799
    /// The largest integer that JSON numbers represent exactly everywhere.
    static let maximumSeq: Int64 = 9_007_199_254_740_991

    /// The bounds of a classic page: `before`, `after`, `before_seq`, `after_seq`. Without a seq the page never ends
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
