/// Section 6, UTF-8, and section 7, closing.
extension AutobahnCase {
    private static let kosme: [UInt8] = [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5]
    private static let edited = Array("edited".utf8)
    /// Invalid from the twelfth byte on.
    private static let surrogate = kosme + [0xED, 0xA0, 0x80] + edited
    private static let beyond = kosme + [0xF4, 0x90, 0x80, 0x80] + edited

    static var texts: [AutobahnCase] {
        let umlauts = "Hello-µ@ßöäüàá-UTF-8!!"
        let empty = [Frame.text("", final: false), .more("", final: false), .more("")]
        let middle = [Frame.text("", final: false), .more("middle frame payload", final: false), .more("")]
        let two = [Frame.text("Hello-µ@ßöä", final: false), .more("üàá-UTF-8!!")]
        let byByte = { (bytes: [UInt8]) in Frame.message(1, bytes, fragments: 1) }
        return [
            AutobahnCase("6.1.1", [.text("")], expects: [.text("")], .closedByClient),
            AutobahnCase("6.1.2", empty, expects: [.text("")], .closedByClient),
            AutobahnCase("6.1.3", middle, expects: [.text("middle frame payload")], .closedByClient),
            AutobahnCase("6.2.1", [.text(umlauts)], expects: [.text(umlauts)], .closedByClient),
            AutobahnCase("6.2.2", two, expects: [.text(umlauts)], .closedByClient),
            AutobahnCase("6.2.3", byByte(Array(umlauts.utf8)), expects: [.text(umlauts)], .closedByClient),
            AutobahnCase("6.2.4", byByte(kosme), expects: [.text(kosme)], .closedByClient),
            AutobahnCase("6.3.1", Frame.message(1, surrogate), .refused(1007)),
            AutobahnCase("6.3.2", byByte(surrogate), .refused(1007)),
        ] + late + sequences
    }

    /// What is not UTF-8 shows before the message is complete. The suite allows both, and calls it strict if the
    /// refusal does not wait for the end; here it waits.
    private static var late: [AutobahnCase] {
        let parts: [[[UInt8]]] = [[11, 15], [12, 13]].map { ends in
            [Array(beyond[..<ends[0]]), Array(beyond[ends[0]..<ends[1]]), Array(beyond[ends[1]...])]
        }
        let inFrames: [[Frame]] = parts.map { parts in
            parts.enumerated().map { index, part in
                Frame(opcode: index == 0 ? 1 : 0, payload: part, isFinal: index == 2)
            }
        }
        return [
            AutobahnCase("6.4.1", inFrames[0], .frames, .refused(1007)),
            AutobahnCase("6.4.2", inFrames[1], .frames, .refused(1007)),
            // The first write ends behind the eleventh byte of the payload, and behind the twelfth.
            AutobahnCase("6.4.3", Frame.message(1, beyond), .bytes(6 + 11), .refused(1007)),
            AutobahnCase("6.4.4", Frame.message(1, beyond), .bytes(6 + 12), .refused(1007)),
        ]
    }

    /// Sections 6.5 to 6.23, after Markus Kuhn's stress test for decoders of UTF-8.
    private static var sequences: [AutobahnCase] {
        let unfinished: [[UInt8]] = [
            [0xC0], [0xE0, 0x80], [0xF0, 0x80, 0x80], [0xF8, 0x80, 0x80, 0x80], [0xFC, 0x80, 0x80, 0x80, 0x80],
            [0xDF], [0xEF, 0xBF], [0xF7, 0xBF, 0xBF], [0xFB, 0xBF, 0xBF, 0xBF], [0xFD, 0xBF, 0xBF, 0xBF, 0xBF],
        ]
        var groups: [[(isValid: Bool, bytes: [UInt8])]] = [
            valid([
                inside([0x24]), inside([0xC2, 0xA2]), inside([0xE2, 0x82, 0xAC]), inside([0xF0, 0xA4, 0xAD, 0xA2]),
                kosme,
            ]),
            (1...kosme.count).map { (isValid: [2, 5, 7, 9, 11].contains($0), bytes: Array(kosme[..<$0])) },
            valid([[0x00], [0xC2, 0x80], [0xE0, 0xA0, 0x80], [0xF0, 0x90, 0x80, 0x80]]),
            invalid([[0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80]]),
            valid([[0x7F], [0xDF, 0xBF], [0xEF, 0xBF, 0xBF], [0xF4, 0x8F, 0xBF, 0xBF]]),
            invalid([[0xF7, 0xBF, 0xBF, 0xBF], [0xFB, 0xBF, 0xBF, 0xBF, 0xBF], [0xFD, 0xBF, 0xBF, 0xBF, 0xBF, 0xBF]]),
            valid([[0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBD], [0xF4, 0x8F, 0xBF, 0xBF]])
                + invalid([[0xF4, 0x90, 0x80, 0x80]]),
        ]
        let continuations: [[UInt8]] = [
            [0x80], [0xBF], [0x80, 0xBF], [0x80, 0xBF, 0x80], [0x80, 0xBF, 0x80, 0xBF], [0x80, 0xBF, 0x80, 0xBF, 0x80],
            [0x80, 0xBF, 0x80, 0xBF, 0x80, 0xBF], Array(0x80..<0xBF),
        ]
        let starts: [Range<UInt8>] = [0xC0..<0xDF, 0xE0..<0xEF, 0xF0..<0xF7, 0xF8..<0xFB, 0xFC..<0xFD]
        groups += [
            invalid(continuations), invalid(starts.map { $0.flatMap { [$0, 0x20] } }), invalid(unfinished),
            invalid([unfinished.flatMap { $0 }]), invalid([[0xFE], [0xFF], [0xFE, 0xFE, 0xFF, 0xFF]]),
        ]
        groups += [0xAF, 0xBF, 0x80].map(overlong) + surrogates
        groups.append(valid(noncharacters))
        groups.append(valid((0xB9...0xBF).map { [0xEF, 0xBF, $0] }))
        return groups.enumerated().flatMap { group, sequences in
            sequences.enumerated().map { index, sequence in
                let frames = Frame.message(1, sequence.bytes)
                return sequence.isValid
                    ? AutobahnCase(
                        "6.\(group + 5).\(index + 1)", frames, expects: [.text(sequence.bytes)], .closedByClient)
                    : AutobahnCase("6.\(group + 5).\(index + 1)", frames, .refused(1007))
            }
        }
    }

    private static func inside(_ bytes: [UInt8]) -> [UInt8] {
        Array("hello".utf8) + bytes + Array("world".utf8)
    }

    private static func valid(_ all: [[UInt8]]) -> [(isValid: Bool, bytes: [UInt8])] { all.map { (true, $0) } }
    private static func invalid(_ all: [[UInt8]]) -> [(isValid: Bool, bytes: [UInt8])] { all.map { (false, $0) } }

    /// A slash, the largest overlong sequences, and NUL.
    private static func overlong(_ last: UInt8) -> [(isValid: Bool, bytes: [UInt8])] {
        switch last {
        case 0xBF:
            invalid([
                [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF8, 0x87, 0xBF, 0xBF, 0xBF],
                [0xFC, 0x83, 0xBF, 0xBF, 0xBF, 0xBF],
            ])
        default:
            invalid(
                [
                    [0xC0], [0xE0, 0x80], [0xF0, 0x80, 0x80], [0xF8, 0x80, 0x80, 0x80], [0xFC, 0x80, 0x80, 0x80, 0x80],
                ]
                .map { $0 + [last] })
        }
    }

    private static var surrogates: [[(isValid: Bool, bytes: [UInt8])]] {
        let single: [[UInt8]] = [
            [0xA0, 0x80], [0xAD, 0xBF], [0xAE, 0x80], [0xAF, 0xBF], [0xB0, 0x80], [0xBE, 0x80], [0xBF, 0xBF],
        ]
        let whole: [[UInt8]] = single.map { [0xED] + $0 }
        let pairs: [[UInt8]] = (0..<4).flatMap { high in [whole[high] + whole[4], whole[high] + whole[6]] }
        return [invalid(whole), invalid(pairs)]
    }

    /// Code points that are no characters, but may be encoded.
    private static var noncharacters: [[UInt8]] {
        var all: [[UInt8]] = [[0xEF, 0xBF, 0xBE], [0xEF, 0xBF, 0xBF]]
        for first in UInt8(0xF0)...0xF4 {
            for second in [UInt8](arrayLiteral: 0x8F, 0x9F, 0xAF, 0xBF) {
                guard first == 0xF0 ? second != 0x8F : first != 0xF4 || second == 0x8F else { continue }
                all += [[first, second, 0xBF, 0xBE], [first, second, 0xBF, 0xBF]]
            }
        }
        return all
    }

    // MARK: Closing

    static var closes: [AutobahnCase] {
        let hello = "Hello World!"
        let long = repeated("BAsd7&jh23", count: 256 << 10)
        let codes: [UInt16] = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999]
        let badCodes: [UInt16] = [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999]
        let stars = { (count: Int) in [UInt8](repeating: UInt8(ascii: "*"), count: count) }
        let closes = [
            AutobahnCase("7.1.1", [.text(hello)], expects: [.text(hello)], .closedByClient),
            AutobahnCase("7.1.2", [.close(1000), .close(nil)], .answered(1000)),
            AutobahnCase("7.1.3", [.close(1000), .ping()], .answered(1000)),
            AutobahnCase("7.1.4", [.close(1000), .text(hello)], .answered(1000)),
            AutobahnCase(
                "7.1.5", [.text("fragment1", final: false), .close(1000), .more("fragment2")], .answered(1000)),
            AutobahnCase(
                "7.1.6", Frame.message(1, long) + [.text(hello), .close(1000), .ping()],
                expects: [.text(long), .text(hello)], .answered(1000)),
            AutobahnCase("7.3.1", [.close(nil)], .answered(nil)),
            AutobahnCase("7.3.2", [Frame(opcode: 8, payload: [UInt8(ascii: "a")])], .refused(1002)),
            AutobahnCase("7.3.3", [.close(1000)], .answered(1000)),
            AutobahnCase("7.3.4", [.close(1000, Array(hello.utf8))], .answered(1000)),
            AutobahnCase("7.3.5", [.close(1000, stars(123))], .answered(1000)),
            AutobahnCase("7.3.6", [.close(1000, stars(124))], .refused(1002)),
            AutobahnCase("7.5.1", [.close(1000, surrogate)], .refused(1007)),
        ]
        let accepted: [AutobahnCase] = codes.enumerated().map { index, code in
            AutobahnCase("7.7.\(index + 1)", [.close(code)], .answered(code))
        }
        let refused: [AutobahnCase] = badCodes.enumerated().map { index, code in
            AutobahnCase("7.9.\(index + 1)", [.close(code)], .refused(1002))
        }
        // What happens then is not specified; this server refuses both.
        let beyond = [
            AutobahnCase("7.13.1", [.close(5000)], .refused(1002)),
            AutobahnCase("7.13.2", [.close(65_535)], .refused(1002)),
        ]
        return closes + accepted + refused + beyond
    }

    static func repeated(_ text: String, count: Int) -> [UInt8] {
        let unit = Array(text.utf8)
        return (0..<count).map { unit[$0 % unit.count] }
    }
}
