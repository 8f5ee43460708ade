import Foundation

/// Characters and what they are taken for (UTS 39, `confusables.txt`). Read once, when it is first needed.
struct ConfusableTable: Sendable {
    static let shared = ConfusableTable(ConfusableData.text)

    /// In ascending order.
    private var sources: [UInt32] = []
    /// Where the replacement of each source ends in `targets`; it begins where the one before ends.
    private var ends: [Int] = []
    private var targets: [Unicode.Scalar] = []

    /// - Parameter text: in the form of `ConfusableData`.
    init(_ text: String) {
        var bytes = (Base64URL.decode(text) ?? [])[...]
        var source: UInt32 = 0
        while let distance = Self.number(&bytes), let count = Self.number(&bytes) {
            source += distance
            sources.append(source)
            for _ in 0..<count {
                if let target = Self.number(&bytes).flatMap({ Unicode.Scalar($0) }) { targets.append(target) }
            }
            ends.append(targets.count)
        }
    }

    private static func number(_ bytes: inout ArraySlice<UInt8>) -> UInt32? {
        var (value, shift): (UInt32, UInt32) = (0, 0)
        while let byte = bytes.popFirst() {
            value |= UInt32(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    /// The characters that a character looks like; `nil` for itself.
    func prototype(of scalar: Unicode.Scalar) -> ArraySlice<Unicode.Scalar>? {
        var (low, high) = (0, sources.count)
        while low < high {
            let middle = (low + high) / 2
            if sources[middle] < scalar.value { low = middle + 1 } else { high = middle }
        }
        guard low < sources.count, sources[low] == scalar.value else { return nil }
        return targets[(low == 0 ? 0 : ends[low - 1])..<ends[low]]
    }

    /// The skeleton of UTS 39: the same for all texts that are taken for one another.
    func skeleton(of text: String) -> String {
        var shape = String.UnicodeScalarView()
        for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars
        where !scalar.properties.isDefaultIgnorableCodePoint {
            if let prototype = prototype(of: scalar) {
                shape.append(contentsOf: prototype)
            } else {
                shape.append(scalar)
            }
        }
        return String(shape).decomposedStringWithCanonicalMapping
    }
}
