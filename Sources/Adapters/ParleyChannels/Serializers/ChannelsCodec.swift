/// Encodes and decodes payloads of a channel layer: serialised, then encrypted if there are keys.
package struct ChannelsCodec: Sendable {
    package let serializer: ChannelsSettings.Serializer
    package let fernet: Fernet?

    package init(_ settings: ChannelsSettings) {
        serializer = settings.serializer
        fernet = Fernet(secrets: settings.symmetricEncryptionKeys)
    }

    /// Encodes a value.
    /// - Parameter seconds: The Unix time written into the token.
    package func encode(_ value: ChannelsValue, seconds: Int64) throws(ChannelsCodecError) -> [UInt8] {
        let plain =
            switch serializer {
            case .msgpack: try MessagePackWriter.encode(value)
            case .json: try PythonJSONWriter.encode(value)
            }
        return try fernet?.encrypt(plain, seconds: seconds) ?? plain
    }

    /// Decodes either format, detected by the first byte: no msgpack map begins like a JSON text.
    package func decode(_ payload: [UInt8]) throws(ChannelsCodecError) -> ChannelsValue {
        let plain = try fernet?.decrypt(payload) ?? payload
        switch plain.first {
        case UInt8(ascii: "{"), UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"), 0xEF:
            return try PythonJSONReader.decode(plain)
        default:
            return try MessagePackReader.decode(plain)
        }
    }

    /// Decodes an event: a map with a `type` for which a consumer could have a handler.
    /// - Throws: `noEvent` for every other value.
    package func decodeEvent(_ payload: [UInt8]) throws(ChannelsCodecError) -> ChannelsValue {
        let value = try decode(payload)
        guard let type = value["type"]?.text, let first = type.first, first != "_", first != "." else {
            throw .noEvent
        }
        return value
    }
}
