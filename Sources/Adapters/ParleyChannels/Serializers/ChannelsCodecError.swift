/// The reason that a payload cannot be decoded or a value cannot be encoded.
package enum ChannelsCodecError: Error, Hashable, Sendable {
    case truncated
    /// There are bytes after the value.
    case trailingBytes
    case tooDeep
    case invalidUTF8
    /// A map key is neither text nor bytes.
    case invalidKey
    /// The bytes are not in this format.
    case malformed
    /// No key decrypts the token.
    case undecryptable
    /// The format cannot represent the value, e.g. an extension in JSON.
    case unsupported
    /// Not an event: the value is not a map, or has no `type` for which a consumer could have a handler.
    case noEvent
    /// A numbered event whose seq, date or count no log can contain.
    case outOfRange
    /// A valid event that is not a message: it is meant for Django's consumers, not for clients.
    case notForClients
    /// The payload exceeds the size limit.
    case tooLarge
}
