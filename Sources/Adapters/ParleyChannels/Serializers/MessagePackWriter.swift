/// Encodes msgpack as Python's `msgpack.packb(value, use_bin_type=True)` does: shortest integers, 64-bit floats.
package struct MessagePackWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    /// Encodes a value.
    /// - Throws: `tooDeep`, `unsupported` for integers beyond 64 bits, `invalidKey`.
    package static func encode(_ value: ChannelsValue) throws(ChannelsCodecError) -> [UInt8] {
        var writer = MessagePackWriter()
        try writer.write(value, depth: 0)
        return writer.bytes
    }

    private mutating func write(_ value: ChannelsValue, depth: Int) throws(ChannelsCodecError) {
        switch value {
        case .null: bytes.append(0xC0)
        case .bool(let flag): bytes.append(flag ? 0xC3 : 0xC2)
        case .int(let number): write(number)
        case .uint(let number): write(unsigned: number)
        case .digits: throw .unsupported
        case .double(let number):
            bytes.append(0xCB)
            append(number.bitPattern)
        case .text(let text): write(text)
        case .bytes(let data):
            header(data.count, fixed: nil, widths: (0xC4, 0xC5, 0xC6))
            bytes += data
        case .array(let elements):
            guard depth < ChannelsValue.maximumDepth else { throw .tooDeep }
            header(elements.count, fixed: (0x90, 15), widths: (nil, 0xDC, 0xDD))
            for element in elements { try write(element, depth: depth + 1) }
        case .map(let entries):
            guard depth < ChannelsValue.maximumDepth else { throw .tooDeep }
            mapHeader(entries.count)
            for entry in entries {
                switch entry.key {
                case .text, .bytes: try write(entry.key, depth: depth + 1)
                default: throw .invalidKey
                }
                try write(entry.value, depth: depth + 1)
            }
        case .ext(let type, let data):
            writeExtension(type, data)
        }
    }

    /// Appends an already encoded value.
    package mutating func append(encoded value: [UInt8]) {
        bytes += value
    }

    package mutating func mapHeader(_ count: Int) {
        header(count, fixed: (0x80, 15), widths: (nil, 0xDE, 0xDF))
    }

    package mutating func write(_ text: String) {
        header(text.utf8.count, fixed: (0xA0, 31), widths: (0xD9, 0xDA, 0xDB))
        bytes.append(contentsOf: text.utf8)
    }

    package mutating func write(_ number: Int64) {
        switch number {
        case 0...: write(unsigned: UInt64(number))
        case -32..<0: bytes.append(UInt8(bitPattern: Int8(number)))
        case Int64(Int8.min)...: bytes += [0xD0, UInt8(bitPattern: Int8(number))]
        case Int64(Int16.min)...:
            bytes.append(0xD1)
            append(Int16(number))
        case Int64(Int32.min)...:
            bytes.append(0xD2)
            append(Int32(number))
        default:
            bytes.append(0xD3)
            append(number)
        }
    }

    private mutating func write(unsigned number: UInt64) {
        switch number {
        case ...127: bytes.append(UInt8(number))
        case ...0xFF: bytes += [0xCC, UInt8(number)]
        case ...0xFFFF:
            bytes.append(0xCD)
            append(UInt16(number))
        case ...0xFFFF_FFFF:
            bytes.append(0xCE)
            append(UInt32(number))
        default:
            bytes.append(0xCF)
            append(number)
        }
    }

    private mutating func writeExtension(_ type: Int8, _ data: [UInt8]) {
        let kind = UInt8(bitPattern: type)
        if let fixed = [1: 0xD4, 2: 0xD5, 4: 0xD6, 8: 0xD7, 16: 0xD8][data.count] as UInt8? {
            bytes += [fixed, kind]
        } else {
            header(data.count, fixed: nil, widths: (0xC7, 0xC8, 0xC9))
            bytes.append(kind)
        }
        bytes += data
    }

    /// Writes a length in the shortest form available for the type.
    private mutating func header(
        _ count: Int, fixed: (base: UInt8, limit: Int)?, widths: (one: UInt8?, two: UInt8, four: UInt8)
    ) {
        if let fixed, count <= fixed.limit {
            bytes.append(fixed.base | UInt8(count))
        } else if let one = widths.one, count <= 0xFF {
            bytes += [one, UInt8(count)]
        } else if count <= 0xFFFF {
            bytes.append(widths.two)
            append(UInt16(count))
        } else {
            bytes.append(widths.four)
            append(UInt32(count))
        }
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
