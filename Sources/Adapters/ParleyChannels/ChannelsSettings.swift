/// The `CHANNEL_LAYERS` settings of a Django project, with Django's names and defaults.
package struct ChannelsSettings: Hashable, Sendable {
    /// The payload format, `serializer_format`. Both ends must agree, since the format is not transmitted.
    package enum Serializer: String, Hashable, Sendable, CaseIterable {
        case msgpack
        case json
    }

    /// The prefix of every channel name, without a separator.
    package var prefix = "asgi"
    package var serializer = Serializer.msgpack
    /// `symmetric_encryption_keys`: the first key encrypts, all are tried for decryption. Empty disables encryption.
    package var symmetricEncryptionKeys: [String] = []
    /// The types of Django's events that are taken into the log; none by default.
    package var adoptedTypes = AdoptedTypes()
    /// Set if Django uses `RedisChannelLayer`; otherwise it uses `RedisPubSubChannelLayer`.
    package var core: QueueLayerSettings?

    package init() {}
}
