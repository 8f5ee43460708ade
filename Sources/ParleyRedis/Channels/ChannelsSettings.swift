/// What a Django project writes under `CHANNEL_LAYERS`, by Django's names and with its defaults.
package struct ChannelsSettings: Hashable, Sendable {
    /// The payload's format, `serializer_format`. Both ends must agree: nothing on the wire says which it is.
    package enum Serializer: String, Hashable, Sendable, CaseIterable {
        case msgpack
        case json
    }

    /// Stands before every channel name, without a separator.
    package var prefix = "asgi"
    package var serializer = Serializer.msgpack
    /// `symmetric_encryption_keys`: the first encrypts, all are tried to decrypt; none: plain text.
    package var symmetricEncryptionKeys: [String] = []

    package init() {}
}
