/// A frame of a client.
struct ClientFrame {
    var opcode: UInt8 = 1
    var isFinal = true
    /// The three reserved bits; 0b100 is RSV1.
    var reserved: UInt8 = 0
    var payload: [UInt8] = []
    /// `nil` for a frame without a mask, which is a violation.
    var key: [UInt8]? = [0x37, 0xFA, 0x21, 0x3D]

    init(_ text: String, opcode: UInt8 = 1, isFinal: Bool = true, reserved: UInt8 = 0) {
        self.init(Array(text.utf8), opcode: opcode, isFinal: isFinal, reserved: reserved)
    }

    init(
        _ payload: [UInt8], opcode: UInt8 = 1, isFinal: Bool = true, reserved: UInt8 = 0, key: [UInt8]? = [1, 2, 3, 4]
    ) {
        self.payload = payload
        self.opcode = opcode
        self.isFinal = isFinal
        self.reserved = reserved
        self.key = key
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
        let maskBit: UInt8 = key == nil ? 0 : 0x80
        switch payload.count {
        case ...125: bytes.append(maskBit | UInt8(payload.count))
        case ...0xFFFF: bytes += [maskBit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            bytes.append(maskBit | 127)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> ((7 - $0) * 8)) }
        }
        guard let key else { return bytes + payload }
        return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }
}
