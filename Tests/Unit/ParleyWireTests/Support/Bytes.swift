import NIOCore

extension ByteBuffer {
    var array: [UInt8] { Array(readableBytesView) }
    /// Decoded as UTF-8; invalid bytes are replaced.
    var text: String { String(decoding: readableBytesView, as: UTF8.self) }
}

/// Bytes from hex digits; white space is ignored.
func hex(_ digits: String) -> [UInt8] {
    let nibbles = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: nibbles.count, by: 2).map { UInt8(nibbles[$0] << 4 | nibbles[$0 + 1]) }
}

/// The ways to feed bytes to a decoder: all at once, byte by byte, and in two parts at each point.
func cuts(of bytes: [UInt8]) -> [[[UInt8]]] {
    [[bytes], bytes.map { [$0] }] + bytes.indices.dropFirst().map { [Array(bytes[..<$0]), Array(bytes[$0...])] }
}
