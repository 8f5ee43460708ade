import NIOCore
import ParleyWire

extension WebSocketFrameParser {
    /// Bytes of heap memory in all buffers of the parser, spare capacity included.
    var heldBytes: Int { Self.bytes(heldBy: self) }

    private static func bytes(heldBy value: Any) -> Int {
        if let buffer = value as? ByteBuffer { return buffer.storageCapacity }
        return Mirror(reflecting: value).children.reduce(0) { $0 + bytes(heldBy: $1.value) }
    }
}

/// The results of parsing some bytes.
struct ParserRun: Equatable {
    var inputs: [WebSocketInput] = []
    var violation: WebSocketViolation?

    /// - Parameter observe: called after each part, with the parser drained.
    init(
        _ parts: [[UInt8]], maximumBytes: Int = 1000, compression: Bool = false,
        observe: (WebSocketFrameParser) -> Void = { _ in }
    ) {
        let parser = WebSocketFrameParser(maximumBytes: maximumBytes, compression: compression)
        for part in parts {
            var bytes = ByteBuffer(bytes: part)
            parser.append(&bytes)
            do {
                while let input = try parser.next() { inputs.append(input) }
            } catch {
                violation = error
            }
            observe(parser)
        }
    }

    /// The texts among the inputs.
    var texts: [String] {
        inputs.compactMap { if case .text(let bytes) = $0 { bytes.text } else { nil } }
    }
}
