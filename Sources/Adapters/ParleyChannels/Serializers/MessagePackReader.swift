import ParleyJSON

/// Decodes msgpack as Python's `msgpack.unpackb(data, raw=False)` does, and as strictly: one value with nothing after
/// it, valid UTF-8, text or bytes as keys, at most 1024 nested containers.
package struct MessagePackReader {
    private let bytes: [UInt8]
    private var index = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Decodes one value.
    /// - Throws: `truncated`, `trailingBytes`, `tooDeep`, `invalidUTF8`, `invalidKey` or `malformed`.
    package static func decode(_ bytes: [UInt8]) throws(ChannelsCodecError) -> ChannelsValue {
        var reader = MessagePackReader(bytes)
        let value = try reader.read(depth: 0)
        guard reader.index == bytes.count else { throw .trailingBytes }
        return value
    }

    private mutating func read(depth: Int) throws(ChannelsCodecError) -> ChannelsValue {
        let byte: UInt8 = try number()
        switch byte {
        case 0x00...0x7F: return .int(Int64(byte))
        case 0x80...0x8F: return try map(Int(byte & 0xF), depth)
        case 0x90...0x9F: return try array(Int(byte & 0xF), depth)
        case 0xA0...0xBF: return try text(Int(byte & 0x1F))
        case 0xE0...0xFF: return .int(Int64(Int8(bitPattern: byte)))
        case 0xC0: return .null
        case 0xC2: return .bool(false)
        case 0xC3: return .bool(true)
        case 0xC4, 0xC5, 0xC6: return .bytes(Array(try take(try length(byte - 0xC4))))
        case 0xC7, 0xC8, 0xC9: return try ext(try length(byte - 0xC7))
        case 0xCA: return .double(Double(Float(bitPattern: try number())))
        case 0xCB: return .double(Double(bitPattern: try number()))
        case 0xCC: return .int(Int64(try number() as UInt8))
        case 0xCD: return .int(Int64(try number() as UInt16))
        case 0xCE: return .int(Int64(try number() as UInt32))
        case 0xCF: return .integer(try number() as UInt64)
        case 0xD0: return .int(Int64(try number() as Int8))
        case 0xD1: return .int(Int64(try number() as Int16))
        case 0xD2: return .int(Int64(try number() as Int32))
        case 0xD3: return .int(try number() as Int64)
        case 0xD4...0xD8: return try ext(1 << Int(byte - 0xD4))
        case 0xD9, 0xDA, 0xDB: return try text(try length(byte - 0xD9))
        case 0xDC, 0xDD: return try array(try length(byte - 0xDB), depth)
        case 0xDE, 0xDF: return try map(try length(byte - 0xDD), depth)
        default: throw .malformed
        }
    }

    private mutating func array(_ count: Int, _ depth: Int) throws(ChannelsCodecError) -> ChannelsValue {
        try check(count, depth)
        var elements: [ChannelsValue] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try read(depth: depth + 1)) }
        return .array(elements)
    }

    private mutating func map(_ count: Int, _ depth: Int) throws(ChannelsCodecError) -> ChannelsValue {
        try check(count * 2, depth)
        var entries: [ChannelsValue.Entry] = []
        entries.reserveCapacity(count)
        for _ in 0..<count {
            let key = try read(depth: depth + 1)
            switch key {
            case .text, .bytes: break
            default: throw .invalidKey
            }
            entries.append(.init(key, try read(depth: depth + 1)))
        }
        return .map(entries)
    }

    /// Checks the size and depth of a container. A container with more elements than there are bytes left is rejected, so
    /// memory stays proportional to the input.
    private func check(_ elements: Int, _ depth: Int) throws(ChannelsCodecError) {
        guard depth < ChannelsValue.maximumDepth else { throw .tooDeep }
        guard elements <= bytes.count - index else { throw .truncated }
    }

    private mutating func ext(_ count: Int) throws(ChannelsCodecError) -> ChannelsValue {
        let type: Int8 = try number()
        return .ext(type, Array(try take(count)))
    }

    private mutating func text(_ count: Int) throws(ChannelsCodecError) -> ChannelsValue {
        let content = try take(count)
        guard let text = content.withUnsafeBufferPointer({ String(utf8: $0) }) else { throw .invalidUTF8 }
        return .text(text)
    }

    /// Reads a length of 1, 2 or 4 bytes.
    private mutating func length(_ exponent: UInt8) throws(ChannelsCodecError) -> Int {
        switch exponent {
        case 0: Int(try number() as UInt8)
        case 1: Int(try number() as UInt16)
        default: Int(try number() as UInt32)
        }
    }

    private mutating func number<Number: FixedWidthInteger>() throws(ChannelsCodecError) -> Number {
        let part = try take(Number.bitWidth / 8)
        return part.reduce(Number.zero) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    private mutating func take(_ count: Int) throws(ChannelsCodecError) -> ArraySlice<UInt8> {
        guard count <= bytes.count - index else { throw .truncated }
        defer { index += count }
        return bytes[index..<index + count]
    }
}
