/// Reads the arguments of a command one after another.
struct Arguments {
    private var rest: ArraySlice<Bytes>

    init(_ arguments: ArraySlice<Bytes>) {
        rest = arguments
    }

    var isEmpty: Bool { rest.isEmpty }
    var count: Int { rest.count }

    mutating func next() throws(CommandError) -> Bytes {
        guard let first = rest.popFirst() else { throw .syntax }
        return first
    }

    mutating func integer() throws(CommandError) -> Int64 {
        guard let number = Int64(canonical: try next()) else { throw .notInteger }
        return number
    }

    /// An integer that fits `Int`, clamped.
    mutating func clamped() throws(CommandError) -> Int { Int(clamping: try integer()) }

    mutating func score() throws(CommandError) -> Double {
        guard let score = Double(redis: try next()) else { throw .notFloat }
        return score
    }

    /// An end of a range of scores, which `(` excludes.
    mutating func bound() throws(CommandError) -> (score: Double, isExcluded: Bool) {
        let text = try next()
        let isExcluded = text.first == UInt8(ascii: "(")
        guard let score = Double(redis: isExcluded ? Array(text.dropFirst()) : text) else {
            throw CommandError("ERR min or max is not a float")
        }
        return (score, isExcluded)
    }

    mutating func scoreRange() throws(CommandError) -> ScoreRange {
        let (low, high) = (try bound(), try bound())
        return ScoreRange(low: low.score, excludesLow: low.isExcluded, high: high.score, excludesHigh: high.isExcluded)
    }

    /// Takes the next argument if it is this word, in any case.
    mutating func take(_ word: StaticString) -> Bool {
        guard let first = rest.first, first.count == word.utf8CodeUnitCount,
            word.withUTF8Buffer({ first.capitals.elementsEqual($0) })
        else { return false }
        rest.removeFirst()
        return true
    }

    /// All that are left.
    mutating func all() -> [Bytes] {
        defer { rest = [] }
        return Array(rest)
    }
}

extension Double {
    /// Reads a number as Redis does, which knows `inf`, and refuses `nan`.
    init?(redis bytes: Bytes) {
        let text = bytes.text
        switch text.lowercased() {
        case "inf", "+inf", "infinity", "+infinity": self = .infinity
        case "-inf", "-infinity": self = -.infinity
        default:
            guard let number = Double(text), !number.isNaN else { return nil }
            self = number
        }
    }
}
