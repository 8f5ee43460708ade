/// A case of the Autobahn test suite for servers, with its number there.
///
/// Sections 0, 8, 9.9 and 11 have none. A load (sections 9, 12 and 13) is a case of many or large messages.
struct AutobahnCase: Sendable {
    /// A frame whose bits are all controlled by the case; a client's, so it is masked.
    struct Frame: Sendable {
        var opcode: UInt8
        var payload: [UInt8]
        var isFinal = true
        /// The three reserved bits.
        var reserved: UInt8 = 0

        static func text(_ text: String, final isFinal: Bool = true, reserved: UInt8 = 0) -> Frame {
            Frame(opcode: 1, payload: Array(text.utf8), isFinal: isFinal, reserved: reserved)
        }

        static func more(_ text: String, final isFinal: Bool = true) -> Frame {
            Frame(opcode: 0, payload: Array(text.utf8), isFinal: isFinal)
        }

        static func ping(_ text: String = "") -> Frame { Frame(opcode: 9, payload: Array(text.utf8)) }
        static func pong(_ text: String = "") -> Frame { Frame(opcode: 10, payload: Array(text.utf8)) }

        static func close(_ code: UInt16?, _ reason: [UInt8] = []) -> Frame {
            Frame(opcode: 8, payload: (code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? []) + reason)
        }

        /// The frames of a message.
        /// - Parameter size: of the payload of each; 0 for one frame.
        static func message(
            _ opcode: UInt8, _ payload: [UInt8], fragments size: Int = 0, isCompressed: Bool = false
        ) -> [Frame] {
            guard size > 0, payload.count > size else {
                return [Frame(opcode: opcode, payload: payload, reserved: isCompressed ? 4 : 0)]
            }
            return stride(from: 0, to: payload.count, by: size).map { start in
                let end = min(start + size, payload.count)
                return Frame(
                    opcode: start == 0 ? opcode : 0, payload: Array(payload[start..<end]),
                    isFinal: end == payload.count, reserved: isCompressed && start == 0 ? 4 : 0)
            }
        }

        var bytes: [UInt8] {
            let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
            var bytes = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
            bytes.reserveCapacity(payload.count + 14)
            switch payload.count {
            case ..<126: bytes.append(0x80 | UInt8(payload.count))
            case ..<65_536: bytes += [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
            default:
                bytes.append(0xFF)
                for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(payload.count >> shift & 0xFF)) }
            }
            bytes += mask
            for (index, byte) in payload.enumerated() { bytes.append(byte ^ mask[index & 3]) }
            return bytes
        }
    }

    /// What the server sends.
    enum Event: Hashable, Sendable {
        case text([UInt8])
        case binary([UInt8])
        case pong([UInt8])

        static func text(_ text: String) -> Event { .text(Array(text.utf8)) }
        static func pong(_ text: String) -> Event { .pong(Array(text.utf8)) }
    }

    /// How the bytes of the frames are divided into writes.
    enum Writes: Sendable {
        case one
        case frames
        case bytes(Int)
    }

    /// How the connection ends.
    enum End: Sendable {
        /// The client closes with 1000 when it has everything, and is answered so.
        case closedByClient
        /// A close frame of the case is answered by this code.
        case answered(UInt16?)
        /// The server closes with this code.
        case refused(UInt16)
    }

    struct Load: Sendable {
        var isBinary = false
        /// The payload of each message.
        var payload: @Sendable (_ round: Int) -> [UInt8]
        var rounds = 1
        var fragmentBytes = 0
        var writes = Writes.one
    }

    enum Script: Sendable {
        case frames([Frame], Writes, expects: [Event], End)
        case load(Load)
    }

    let number: String
    let script: Script
    /// `Sec-WebSocket-Extensions` of the handshake.
    var offers: String?
    /// Whether permessage-deflate is expected to be negotiated.
    var isCompressed = false

    init(_ number: String, _ frames: [Frame], _ writes: Writes, expects: [Event] = [], _ end: End) {
        self.number = number
        script = .frames(frames, writes, expects: expects, end)
    }

    init(_ number: String, _ frames: [Frame], expects: [Event] = [], _ end: End) {
        self.init(number, frames, .one, expects: expects, end)
    }

    init(_ number: String, _ load: Load, offers: String? = nil, isCompressed: Bool = false) {
        self.number = number
        script = .load(load)
        self.offers = offers
        self.isCompressed = isCompressed
    }

    var section: Int { Int(number.prefix { $0 != "." }) ?? 0 }

    /// In the order of the suite.
    static let all = framing + controls + reservedBits + opcodes + fragments + texts + closes + limits + deflate
}
