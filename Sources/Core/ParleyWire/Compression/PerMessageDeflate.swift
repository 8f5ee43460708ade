package import NIOCore

/// Message compression (RFC 7692) without context takeover in either direction: every message is independent, so one
/// compressed frame serves every socket, and no socket keeps a window of 32 KiB.
package enum PerMessageDeflate {
    /// The base-2 logarithm of the compression window.
    ///
    /// 4 KiB, not 32: a chat message of 1 KiB compresses to the same size, one of 4 KiB to 0.3 % more, and as zlib sets
    /// up less state for each message, one of 258 bytes takes 13 µs instead of 26. Clients that require a small window,
    /// such as Python's websockets with 12 bits, can receive the same frame as all others.
    package static let serverWindowBits: Int32 = 12

    /// Smaller payloads, in bytes, are sent uncompressed.
    ///
    /// Measured: JSON of 120 bytes shrinks by 17, of 140 by 25, of 200 by 53. Below 200 that is less than the headers
    /// of the packet it travels in, and not worth 13 µs here and the inflating at every receiver.
    package static let minimumBytes = 192

    // MARK: Negotiation

    /// Chooses among a client's offers (§5.1, §7.1).
    ///
    /// The first acceptable offer is accepted. Unacceptable are offers that require a server window below
    /// `serverWindowBits`, and offers with a parameter that is unknown, duplicated or invalid.
    /// - Parameter offers: the values of `Sec-WebSocket-Extensions`.
    /// - Returns: the value of the response's `Sec-WebSocket-Extensions`; `nil` if no offer is acceptable and the
    ///   connection stays uncompressed.
    package static func negotiate(offers: [String]) -> String? {
        for offer in offers.flatMap(ExtensionOffer.parse) where offer.name == "permessage-deflate" {
            if let response = response(to: offer) { return response }
        }
        return nil
    }

    private static func response(to offer: ExtensionOffer) -> String? {
        var response = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
        var seen: Set<String> = []
        for parameter in offer.parameters {
            guard seen.insert(parameter.name).inserted else { return nil }
            switch (parameter.name, parameter.value) {
            case ("server_no_context_takeover", nil), ("client_no_context_takeover", nil):
                break
            case ("server_max_window_bits", let value?):
                guard let bits = windowBits(value), bits >= serverWindowBits else { return nil }
                response += "; server_max_window_bits=\(serverWindowBits)"
            case ("client_max_window_bits", nil):
                // The inflater handles any window, so the client need not be limited.
                break
            case ("client_max_window_bits", let value?):
                guard windowBits(value) != nil else { return nil }
            default:
                return nil
            }
        }
        return response
    }

    /// Parses 8 to 15 in decimal, without leading zeros (§7.1.2.1).
    private static func windowBits(_ text: String) -> Int32? {
        (8...15).first { String($0) == text }
    }

    // MARK: Messages

    /// The compressed payload for a frame with RSV1 (§7.2.1); `nil` if compression is not worthwhile.
    package static func compress(_ payload: ByteBuffer) -> ByteBuffer? {
        guard payload.readableBytes >= minimumBytes, let deflated = Zlib.deflate(payload, windowBits: serverWindowBits),
            deflated.readableBytes < payload.readableBytes
        else { return nil }
        return deflated
    }

    /// The decompressed message (§7.2.2).
    /// - Parameters:
    ///   - payload: the payload of a frame with RSV1, or of all fragments of such a message.
    ///   - maximumBytes: maximum message size; inflating stops there.
    package static func inflate(
        _ payload: ByteBuffer, maximumBytes: Int
    ) throws(WebSocketViolation) -> ByteBuffer {
        switch Zlib.inflate(payload, maximumBytes: maximumBytes) {
        case .complete(let message): return message
        case .tooLarge: throw .tooLarge(maximumBytes: maximumBytes)
        case .damaged: throw .notDeflated
        }
    }
}
