/// The parameter values of one call in PostgreSQL's binary format, concatenated.
///
/// Integers are big-endian. An array has a header of the number of dimensions, a null flag, the element type, the count
/// and the lower bound; each element follows its length (`array_send` in PostgreSQL's `arrayfuncs.c`).
struct ParameterBuffer {
    private(set) var bytes: [UInt8] = []
    /// The range of each value in `bytes`; `nil` for NULL.
    private(set) var ranges: [Range<Int>?] = []
    private(set) var oids: [UInt32] = []

    init(_ parameters: [Parameter]) {
        for parameter in parameters {
            oids.append(parameter.oid)
            let start = bytes.count
            let isNull = append(parameter)
            ranges.append(isNull ? nil : start..<bytes.count)
        }
    }

    /// - Returns: whether the value is NULL.
    private mutating func append(_ parameter: Parameter) -> Bool {
        switch parameter {
        case .text(let text):
            guard let text else { return true }
            bytes.append(contentsOf: text.utf8)
        case .int(let int):
            guard let int else { return true }
            append(int)
        case .bytes(let value): bytes.append(contentsOf: value)
        case .texts(let texts): append(texts, of: Parameter.textOID, hasNulls: false) { $0.append(text: $1) }
        case .optionalTexts(let texts): append(texts, of: Parameter.textOID, hasNulls: true) { $0.append(text: $1) }
        case .ints(let ints): append(ints, of: Parameter.intOID, hasNulls: false) { $0.append(element: $1) }
        case .optionalInts(let ints): append(ints, of: Parameter.intOID, hasNulls: true) { $0.append(element: $1) }
        case .byteStrings(let values):
            append(values, of: Parameter.bytesOID, hasNulls: false) { buffer, value in
                buffer.append(Int32(truncatingIfNeeded: value.count))
                buffer.bytes.append(contentsOf: value)
            }
        }
        return false
    }

    private mutating func append<Element>(
        _ elements: [Element], of type: UInt32, hasNulls: Bool, _ appendElement: (inout Self, Element) -> Void
    ) {
        append(elements.isEmpty ? 0 : 1 as Int32)
        append(hasNulls ? 1 : 0 as Int32)
        append(Int32(bitPattern: type))
        guard !elements.isEmpty else { return }
        append(Int32(truncatingIfNeeded: elements.count))
        append(1 as Int32)
        for element in elements { appendElement(&self, element) }
    }

    private mutating func append(text: String?) {
        guard var text else { return append(-1 as Int32) }
        text.withUTF8 { utf8 in
            append(Int32(truncatingIfNeeded: utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }

    private mutating func append(element: Int64?) {
        guard let element else { return append(-1 as Int32) }
        append(8 as Int32)
        append(element)
    }

    private mutating func append(_ integer: some FixedWidthInteger) {
        withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
