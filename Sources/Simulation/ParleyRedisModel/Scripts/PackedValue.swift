/// `struct.pack` and `struct.unpack` of the head of a thread, `>I8I8I8I8c16`.
struct LuaHead {
    var seq: Int64
    var messages: Int64
    var date: Int64
    var doubt: Int64
    /// Epoch and mark, 8 bytes each.
    var term: Bytes

    static let length = 48

    init(seq: Int64, messages: Int64, date: Int64, doubt: Int64, term: Bytes) {
        self.seq = seq
        self.messages = messages
        self.date = date
        self.doubt = doubt
        self.term = term
    }

    /// - Throws: for a string that is too short, as Lua does.
    init(_ bytes: Bytes) throws(CommandError) {
        guard bytes.count >= Self.length else { throw .notModelled("a head of \(bytes.count) bytes") }
        func number(_ index: Int) -> Int64 {
            bytes[(8 * index)..<(8 * index + 8)].reduce(0) { $0 << 8 | Int64($1) }
        }
        (seq, messages, date, doubt) = (number(0), number(1), number(2), number(3))
        term = Array(bytes[32..<48])
    }

    var epoch: Bytes { Array(term.prefix(8)) }
    var mark: Bytes { Array(term.suffix(8)) }

    var bytes: Bytes { [seq, messages, date, doubt].flatMap(\.bigEndianBytes) + term }
}

extension Int64 {
    /// `struct.pack('>I8')`.
    var bigEndianBytes: Bytes {
        (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) }
    }
}

extension Bytes {
    /// `string.sub(self, first, last)`, with positions from 1 on; negative ones count from the end.
    func sub(_ first: Int, _ last: Int = -1) -> Bytes {
        let start = Swift.max(1, first < 0 ? count + first + 1 : first)
        let end = Swift.min(count, last < 0 ? count + last + 1 : last)
        return start <= end ? Array(self[(start - 1)..<end]) : []
    }
}
