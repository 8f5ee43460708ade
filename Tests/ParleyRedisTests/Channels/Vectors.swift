import Foundation
import ParleyRedis

/// What the real packages of Django's side wrote and read.
struct Vectors {
    typealias Object = [String: Any]

    private let root: Object

    init() throws {
        guard let url = Bundle.module.url(forResource: "Vectors/channels_redis", withExtension: "json"),
            let root = try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? Object
        else { throw CocoaError(.fileReadCorruptFile) }
        self.root = root
    }

    /// The object of a section.
    func object(_ path: String...) throws -> Object {
        try path.reduce(root) { object, name in
            guard let next = object[name] as? Object else { throw CocoaError(.coderValueNotFound) }
            return next
        }
    }

    /// The list at the end of a path.
    func list(_ section: String, _ name: String) throws -> [Object] {
        guard let list = try object(section)[name] as? [Object], !list.isEmpty else {
            throw CocoaError(.coderValueNotFound)
        }
        return list
    }

    /// Bytes in hex; those of the one entry that is described in words are made by its rule.
    static func bytes(_ entry: Object, _ name: String = "hex") throws -> [UInt8] {
        if let hex = entry[name] as? String { return bytes(hex: hex) }
        guard entry["repeat"] as? String == "0x91 * 1025 then 0x00" else { throw CocoaError(.coderValueNotFound) }
        return [UInt8](repeating: 0x91, count: 1025) + [0]
    }

    static func bytes(hex: String) -> [UInt8] {
        let digits = Array(hex)
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0..<$0 + 2]), radix: 16) }
    }

    /// A value in the notation of the file's `meta.value_notation`.
    static func value(_ any: Any?) throws -> ChannelsValue {
        guard let object = any as? Object, let (kind, content) = object.first(where: { $0.key != "bits" }) else {
            throw CocoaError(.coderInvalidValue)
        }
        switch (kind, content) {
        case ("nil", _): return .null
        case ("bool", let flag as Bool): return .bool(flag)
        case ("int", let digits as String):
            if let number = Int64(digits) { return .int(number) }
            return UInt64(digits).map { .uint($0) } ?? .digits(digits)
        case ("float", _):
            let bits = UInt64(object["bits"] as? String ?? "", radix: 16)
            return .double(Double(bitPattern: bits ?? 0))
        case ("str", let text as String): return .text(text)
        case ("bin", let hex as String): return .bytes(bytes(hex: hex))
        case ("array", let elements as [Any]): return .array(try elements.map(value))
        case ("map", let entries as [[Any]]):
            return .map(try entries.map { .init(try value($0[0]), try value($0[1])) })
        case ("ext", let parts as [Any]):
            guard let type = parts[0] as? Int, let hex = parts[1] as? String else {
                throw CocoaError(.coderInvalidValue)
            }
            return .ext(Int8(type), bytes(hex: hex))
        case ("timestamp", _): return .ext(-1, [])
        default: throw CocoaError(.coderInvalidValue)
        }
    }
}

extension ChannelsValue {
    /// With what a dictionary of Python would hold (the last of equal keys), with equal NaNs and timestamps.
    var normal: ChannelsValue {
        switch self {
        case .array(let elements): return .array(elements.map(\.normal))
        case .map(let entries):
            var last: [ChannelsValue: ChannelsValue] = [:]
            for entry in entries { last[entry.key] = entry.value.normal }
            var seen: Set<ChannelsValue> = []
            return .map(
                entries.compactMap { entry in
                    seen.insert(entry.key).inserted ? last[entry.key].map { .init(entry.key, $0) } : nil
                })
        case .double(let number) where number.isNaN: return .text("NaN")
        case .ext(-1, _): return .ext(-1, [])
        default: return self
        }
    }
}
