import Foundation
import ParleyChannels
import ParleyTestSupport

extension Vectors {
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
    /// Normalised as a Python dictionary would be (the last of equal keys), with equal NaNs and timestamps.
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
