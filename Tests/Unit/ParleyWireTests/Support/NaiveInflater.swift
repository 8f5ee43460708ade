/// A bit-by-bit reader of raw deflate, straight from RFC 1951: slow, obvious, and independent of zlib.
struct NaiveInflater {
    struct Damaged: Error {}

    private(set) var output: [UInt8] = []
    /// The largest distance of a copy; the window must be at least as large.
    private(set) var farthest = 0

    private let input: [UInt8]
    private var bit = 0

    /// - Parameter payload: a compressed message without its tail (RFC 7692 §7.2.1).
    init(_ payload: [UInt8]) throws {
        input = payload + [0x00, 0x00, 0xFF, 0xFF]
        while bit + 7 < input.count * 8 { if try block() { break } }
    }

    private mutating func bits(_ count: Int) throws -> Int {
        guard bit + count <= input.count * 8 else { throw Damaged() }
        defer { bit += count }
        return (0..<count).reduce(0) { $0 | Int(input[(bit + $1) / 8] >> UInt8((bit + $1) % 8) & 1) << $1 }
    }

    /// - Returns: whether it is marked as the last one.
    private mutating func block() throws -> Bool {
        let isFinal = try bits(1) == 1
        switch try bits(2) {
        case 0:
            bit = (bit + 7) / 8 * 8
            let count = try bits(16)
            guard try bits(16) == count ^ 0xFFFF else { throw Damaged() }
            for _ in 0..<count { output.append(UInt8(try bits(8))) }
        case 1:
            let lengths = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
            try codes(Huffman(lengths), Huffman([Int](repeating: 5, count: 30)))
        case 2:
            let (literals, distances, count) = (try bits(5) + 257, try bits(5) + 1, try bits(4) + 4)
            let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
            var codeLengths = [Int](repeating: 0, count: 19)
            for index in 0..<count { codeLengths[order[index]] = try bits(3) }
            let lengthCode = Huffman(codeLengths)
            var lengths: [Int] = []
            while lengths.count < literals + distances {
                switch try symbol(lengthCode) {
                case 16: lengths += [Int](repeating: lengths.last ?? 0, count: 3 + (try bits(2)))
                case 17: lengths += [Int](repeating: 0, count: 3 + (try bits(3)))
                case 18: lengths += [Int](repeating: 0, count: 11 + (try bits(7)))
                case let length: lengths.append(length)
                }
            }
            try codes(Huffman(Array(lengths[..<literals])), Huffman(Array(lengths[literals...])))
        default: throw Damaged()
        }
        return isFinal
    }

    private mutating func codes(_ literals: Huffman, _ distances: Huffman) throws {
        while true {
            let code = try symbol(literals)
            if code < 256 {
                output.append(UInt8(code))
                continue
            }
            if code == 256 { return }
            // RFC 1951 §3.2.5: groups of four lengths and of two distances share a number of extra bits.
            let group = code - 257
            let extra = group < 8 || group == 28 ? 0 : (group - 4) / 4
            let base = group < 8 ? group + 3 : group == 28 ? 258 : (4 + group % 4) << extra + 3
            let length = base + (try bits(extra))
            let number = try symbol(distances)
            let more = number < 4 ? 0 : (number - 2) / 2
            let distance = (number < 4 ? number + 1 : (2 + number % 2) << more + 1) + (try bits(more))
            guard distance <= output.count else { throw Damaged() }
            farthest = max(farthest, distance)
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
    }

    private mutating func symbol(_ code: Huffman) throws -> Int {
        var word = 1
        while word < 1 << 16 {
            word = word << 1 | (try bits(1))
            if let symbol = code.symbols[word] { return symbol }
        }
        throw Damaged()
    }
}

/// A canonical Huffman code (RFC 1951 §3.2.2).
private struct Huffman {
    /// Keyed by code word, with a leading 1 so that its length counts too.
    var symbols: [Int: Int] = [:]

    init(_ lengths: [Int]) {
        var word = 0
        for length in 1...15 {
            for symbol in lengths.indices where lengths[symbol] == length {
                symbols[1 << length | word] = symbol
                word += 1
            }
            word <<= 1
        }
    }
}
