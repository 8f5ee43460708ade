/// Sections 1 to 5: framing, pings, reserved bits, opcodes and fragments.
extension AutobahnCase {
    private static let hello = "Hello, world!"
    private static let odd: [UInt8] = [0x00, 0xFF, 0xFE, 0xFD, 0xFC, 0xFB, 0x00, 0xFF]

    static var framing: [AutobahnCase] {
        let sizes: [(count: Int, writes: Writes)] = [
            (0, .one), (125, .one), (126, .one), (127, .one), (128, .one), (65_535, .one), (65_536, .one),
            (65_536, .bytes(997)),
        ]
        let texts: [AutobahnCase] = sizes.enumerated().map { index, size in
            let payload = [UInt8](repeating: UInt8(ascii: "*"), count: size.count)
            return AutobahnCase(
                "1.1.\(index + 1)", Frame.message(1, payload), size.writes, expects: [.text(payload)], .closedByClient)
        }
        let binaries: [AutobahnCase] = sizes.enumerated().map { index, size in
            let payload = [UInt8](repeating: 0xFE, count: size.count)
            return AutobahnCase(
                "1.2.\(index + 1)", Frame.message(2, payload), size.writes, expects: [.binary(payload)],
                .closedByClient)
        }
        return texts + binaries
    }

    static var controls: [AutobahnCase] {
        let full = [UInt8](repeating: 0xFE, count: 125)
        let ten = (0..<10).map { "payload-\($0)" }
        let unsolicited = Frame.pong("unsolicited pong payload")
        return [
            AutobahnCase("2.1", [.ping()], expects: [.pong("")], .closedByClient),
            AutobahnCase("2.2", [.ping(hello)], expects: [.pong(hello)], .closedByClient),
            AutobahnCase("2.3", [Frame(opcode: 9, payload: odd)], expects: [.pong(odd)], .closedByClient),
            AutobahnCase("2.4", [Frame(opcode: 9, payload: full)], expects: [.pong(full)], .closedByClient),
            AutobahnCase("2.5", [Frame(opcode: 9, payload: full + [0xFE])], .refused(1002)),
            AutobahnCase("2.6", [Frame(opcode: 9, payload: full)], .bytes(1), expects: [.pong(full)], .closedByClient),
            AutobahnCase("2.7", [.pong(), .close(1000)], .answered(1000)),
            AutobahnCase("2.8", [unsolicited, .close(1000)], .answered(1000)),
            AutobahnCase(
                "2.9", [unsolicited, .ping("ping payload")], expects: [.pong("ping payload")], .closedByClient),
            AutobahnCase("2.10", ten.map { .ping($0) }, expects: ten.map { .pong($0) }, .closedByClient),
            AutobahnCase("2.11", ten.map { .ping($0) }, .bytes(1), expects: ten.map { .pong($0) }, .closedByClient),
        ]
    }

    static var reservedBits: [AutobahnCase] {
        let all: [(bits: UInt8, writes: Writes)] = [(2, .one), (3, .frames), (4, .bytes(1))]
        let refusals: [AutobahnCase] = all.map { bits, writes in
            AutobahnCase(
                "3.\(bits)", [.text(hello), .text(hello, reserved: bits), .ping()], writes,
                expects: [.text(hello)], .refused(1002))
        }
        return [AutobahnCase("3.1", [.text(hello, reserved: 1)], .refused(1002))] + refusals + [
            AutobahnCase("3.5", [Frame(opcode: 2, payload: odd, reserved: 5)], .refused(1002)),
            AutobahnCase("3.6", [Frame(opcode: 2, payload: Array(hello.utf8), reserved: 6)], .refused(1002)),
            AutobahnCase("3.7", [Frame(opcode: 8, payload: [], reserved: 7)], .refused(1002)),
        ]
    }

    static var opcodes: [AutobahnCase] {
        // The reserved opcodes, of data and of control frames.
        let groups: [(group: Int, first: UInt8)] = [(1, 3), (2, 11)]
        return groups.flatMap { (group, first) -> [AutobahnCase] in
            let reserved = Array("reserved opcode payload".utf8)
            let others: [AutobahnCase] = (3...5).map { place in
                let opcode = first + UInt8(place) - 1
                let frame = Frame(opcode: opcode, payload: place == 3 ? [] : Array(hello.utf8))
                return AutobahnCase(
                    "4.\(group).\(place)", [.text(hello), frame, .ping()], place == 5 ? .bytes(1) : .one,
                    expects: [.text(hello)], .refused(1002))
            }
            return [
                AutobahnCase("4.\(group).1", [Frame(opcode: first, payload: [])], .refused(1002)),
                AutobahnCase("4.\(group).2", [Frame(opcode: first + 1, payload: reserved)], .refused(1002)),
            ] + others
        }
    }

    static var fragments: [AutobahnCase] {
        controlsInFragments + continuations + [
            AutobahnCase("5.18", [.text("fragment1", final: false), .text("fragment2")], .refused(1002)),
            interrupted("5.19", .one), interrupted("5.20", .frames),
        ]
    }

    private static var controlsInFragments: [AutobahnCase] {
        let two = [Frame.text("fragment1", final: false), .more("fragment2")]
        let pinged = [two[0], .ping("ping payload"), two[1]]
        let joined = Event.text("fragment1fragment2")
        let split: [[Frame]] = [UInt8(9), 10].map { opcode in
            [Frame(opcode: opcode, payload: Array("fragment1".utf8), isFinal: false), two[1]]
        }
        let writes: [Writes] = [.one, .frames, .bytes(1)]
        let plain: [AutobahnCase] = writes.enumerated().map { index, writes in
            AutobahnCase("5.\(index + 3)", two, writes, expects: [joined], .closedByClient)
        }
        let withPings: [AutobahnCase] = writes.enumerated().map { index, writes in
            AutobahnCase("5.\(index + 6)", pinged, writes, expects: [.pong("ping payload"), joined], .closedByClient)
        }
        return [AutobahnCase("5.1", split[0], .refused(1002)), AutobahnCase("5.2", split[1], .refused(1002))]
            + plain + withPings
    }

    /// Continuations of nothing.
    private static var continuations: [AutobahnCase] {
        let writes: [Writes] = [.one, .frames, .bytes(1)]
        let alone: [AutobahnCase] = [true, false].enumerated().flatMap { group, isFinal in
            writes.enumerated().map { place, writes in
                AutobahnCase(
                    "5.\(9 + 3 * group + place)",
                    [.more("non-continuation payload", final: isFinal), .text(hello)], writes, .refused(1002))
            }
        }
        let twice: [[Frame]] = [false, true].map { isFinal in
            let once: [Frame] = [
                Frame.more("fragment1", final: isFinal), .text("fragment2", final: false), .more("fragment3"),
            ]
            return once + once
        }
        return alone + [
            AutobahnCase(
                "5.15",
                [
                    .text("fragment1", final: false), .more("fragment2"), .more("fragment3", final: false),
                    .text("fragment4"),
                ], expects: [.text("fragment1fragment2")], .refused(1002)),
            AutobahnCase("5.16", twice[0], .refused(1002)), AutobahnCase("5.17", twice[1], .refused(1002)),
        ]
    }

    private static func interrupted(_ number: String, _ writes: Writes) -> AutobahnCase {
        AutobahnCase(
            number,
            [
                .text("fragment1", final: false), .more("fragment2", final: false), .ping("pongme 1!"),
                .more("fragment3", final: false), .more("fragment4", final: false), .ping("pongme 2!"),
                .more("fragment5"),
            ], writes,
            expects: [
                .pong("pongme 1!"), .pong("pongme 2!"), .text("fragment1fragment2fragment3fragment4fragment5"),
            ], .closedByClient)
    }
}
