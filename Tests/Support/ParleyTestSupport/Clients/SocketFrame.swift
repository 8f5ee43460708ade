/// A WebSocket frame (RFC 6455 §5.2) whose bits are all controlled by the test.
package struct SocketFrame: Hashable, Sendable {
    package enum Opcode: UInt8, Sendable {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10
    }

    package var isFinal = true
    /// RSV1: the message is compressed (RFC 7692 §6).
    package var isCompressed = false
    /// The raw number, so that reserved opcodes can be sent too.
    package var opcode: UInt8
    package var payload: [UInt8]

    package init(_ opcode: Opcode, _ payload: [UInt8], isFinal: Bool = true) {
        self.opcode = opcode.rawValue
        self.payload = payload
        self.isFinal = isFinal
    }

    /// The bytes of the frame.
    /// - Parameters:
    ///   - mask: The masking key that a client must use (§5.3); `nil` violates that rule.
    ///   - claimedLength: A length for the header in place of the true one.
    package func bytes(mask: [UInt8]? = [0x37, 0xFA, 0x21, 0x3D], claimedLength: Int? = nil) -> [UInt8] {
        var bytes: [UInt8] = []
        let length = claimedLength ?? payload.count
        bytes.reserveCapacity(payload.count + 14)
        bytes.append((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode)
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        switch length {
        case ..<126:
            bytes.append(maskBit | UInt8(length))
        case ..<65_536:
            bytes += [maskBit | 126, UInt8(length >> 8), UInt8(length & 0xFF)]
        default:
            bytes.append(maskBit | 127)
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(length >> shift & 0xFF)) }
        }
        guard let mask else { return bytes + payload }
        bytes += mask
        for (index, byte) in payload.enumerated() { bytes.append(byte ^ mask[index & 3]) }
        return bytes
    }
}
