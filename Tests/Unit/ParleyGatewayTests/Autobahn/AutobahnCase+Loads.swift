import Foundation
import ParleyTestSupport

/// Section 9, limits, and sections 12 and 13, permessage-deflate: large and many messages.
///
/// `make autobahn` has them as the suite does. Otherwise the sizes of section 9 are a sixteenth, and there are few
/// messages of each case; the sizes of sections 12 and 13 are those of the suite.
extension AutobahnCase {
    private static let isFull = ProcessInfo.processInfo.environment["PARLEY_AUTOBAHN"] == "full"
    private static let sixteenth = isFull ? 1 : 16
    private static let roundTrips = isFull ? 1000 : 20
    private static let rounds =
        ProcessInfo.processInfo.environment["PARLEY_AUTOBAHN_ROUNDS"].flatMap { Int($0) } ?? (isFull ? 1000 : 2)

    static var limits: [AutobahnCase] {
        let fragment = AutobahnCase(
            "10.1.1", Load(payload: { _ in [UInt8](repeating: 42, count: 65_536) }, fragmentBytes: 1300))
        return whole(false) + whole(true) + fragmented(false) + fragmented(true) + chopped(false) + chopped(true)
            + echoed(false) + echoed(true) + [fragment]
    }

    private static func payload(_ isBinary: Bool, _ count: Int) -> [UInt8] {
        if !isBinary { return repeated("BAsd7&jh23", count: count) }
        let unit: [UInt8] = [0x00, 0xFE, 0x23, 0xFA, 0xF0]
        return (0..<count).map { unit[$0 % unit.count] }
    }

    private static func whole(_ isBinary: Bool) -> [AutobahnCase] {
        [64, 256, 1024, 4096, 8192, 16_384].enumerated().map { index, kibibytes in
            AutobahnCase(
                "9.\(isBinary ? 2 : 1).\(index + 1)",
                Load(isBinary: isBinary, payload: { _ in payload(isBinary, kibibytes * 1024 / sixteenth) }))
        }
    }

    private static func fragmented(_ isBinary: Bool) -> [AutobahnCase] {
        (0..<9).map { index in
            AutobahnCase(
                "9.\(isBinary ? 4 : 3).\(index + 1)",
                Load(
                    isBinary: isBinary, payload: { _ in payload(isBinary, (4 << 20) / sixteenth) },
                    // 64 bytes to 4 MiB; no fragment is larger than the message.
                    fragmentBytes: 64 << (2 * index)))
        }
    }

    private static func chopped(_ isBinary: Bool) -> [AutobahnCase] {
        (0..<6).map { index in
            AutobahnCase(
                "9.\(isBinary ? 6 : 5).\(index + 1)",
                Load(
                    isBinary: isBinary, payload: { _ in payload(isBinary, (1 << 20) / sixteenth) },
                    writes: .bytes(64 << index)))
        }
    }

    private static func echoed(_ isBinary: Bool) -> [AutobahnCase] {
        [0, 16, 64, 256, 1024, 4096].enumerated().map { index, count in
            let bytes = [UInt8](repeating: isBinary ? 0xFE : 42, count: count)
            return AutobahnCase(
                "9.\(isBinary ? 8 : 7).\(index + 1)",
                Load(isBinary: isBinary, payload: { _ in bytes }, rounds: roundTrips))
        }
    }

    // MARK: permessage-deflate

    /// Characters of each message, and bytes of each fragment of the compressed one.
    private static let sizes: [(count: Int, fragment: Int)] = [
        (16, 0), (64, 0), (256, 0), (1024, 0), (4096, 0), (8192, 0), (16_384, 0), (32_768, 0), (65_536, 0),
        (131_072, 0), (8192, 256), (16_384, 256), (32_768, 256), (65_536, 256), (131_072, 256), (131_072, 1024),
        (131_072, 4096), (131_072, 32_768),
    ]

    /// What the suite's client offers in section 13, and whether this server accepts it. It declines
    /// `server_max_window_bits=9`: its windows have 12 bits.
    private static let parameters: [(offers: [String], isAccepted: Bool)] = [
        ([""], true), (["; server_no_context_takeover"], true), (["; server_max_window_bits=9"], false),
        (["; server_max_window_bits=15"], true),
        (["; server_no_context_takeover; server_max_window_bits=9"], false),
        (["; server_no_context_takeover; server_max_window_bits=15"], true),
        (["; server_no_context_takeover; server_max_window_bits=9", "; server_no_context_takeover", ""], true),
    ]

    static var deflate: [AutobahnCase] {
        let data: [AutobahnCase] = AutobahnData.allCases.enumerated().flatMap { group, data in
            loads("12.\(group + 1)", data, offers: [""], isAccepted: true)
        }
        let offers: [AutobahnCase] = parameters.enumerated().flatMap { group, parameters in
            loads("13.\(group + 1)", .json, offers: parameters.offers, isAccepted: parameters.isAccepted)
        }
        return data + offers
    }

    private static func loads(
        _ group: String, _ data: AutobahnData, offers: [String], isAccepted: Bool
    ) -> [AutobahnCase] {
        let header = offers.map { "permessage-deflate; client_no_context_takeover; client_max_window_bits\($0)" }
        return sizes.enumerated().map { index, size in
            AutobahnCase(
                "\(group).\(index + 1)",
                Load(
                    isBinary: data.isBinary, payload: { data.message(size.count, round: $0) }, rounds: rounds,
                    fragmentBytes: size.fragment),
                offers: header.joined(separator: ", "), isCompressed: isAccepted)
        }
    }
}

/// Stand-ins for the five files of section 12, of the same kinds.
enum AutobahnData: CaseIterable, Sendable {
    case json
    case bitmap
    case prose
    case html
    case document

    /// The suite sends all but the texts of programs as binary messages.
    var isBinary: Bool { self != .json && self != .html }

    /// A message of so many characters, or bytes, which begins elsewhere in each round.
    func message(_ count: Int, round: Int) -> [UInt8] {
        var generator = SeededGenerator(UInt64(round))
        switch self {
        case .json: return text("{\"näme\":\"", "\",\"id\":[1,2,3],\"ok\":true},\n", count, &generator)
        case .html: return text("<p class=\"ünit\">", "</p><br/>\n", count, &generator)
        case .prose: return Array(text("Habe nun, ach! ", " und leider auch\n", count, &generator).prefix(count))
        // Grey values that change slowly, which compress little.
        case .bitmap:
            return (0..<count).map { UInt8(truncatingIfNeeded: $0 / 512 + Int.random(in: 0..<8, using: &generator)) }
        // Compressed already.
        case .document: return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
    }

    private func text(_ before: String, _ after: String, _ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        var scalars: [Unicode.Scalar] = []
        while scalars.count < count {
            scalars += (before + String(UInt32.random(in: 0...9999, using: &generator)) + after).unicodeScalars
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars.prefix(count))
        return Array(String(text).utf8)
    }
}
