/// Why a payload is none, or a value cannot be one.
package enum ChannelsCodecError: Error, Hashable, Sendable {
    case truncated
    /// Bytes after the value.
    case trailingBytes
    case tooDeep
    case invalidUTF8
    /// A key of a map that is neither text nor bytes.
    case invalidKey
    /// Not in this format.
    case malformed
    /// No key opens the token.
    case undecryptable
    /// The value cannot be written in this format, e.g. an extension in JSON.
    case unsupported
    /// No event: the top is not a map, or it has no `type` that a consumer could have a handler for.
    case noEvent
    /// A good event that is no message: for Django's consumers, not for clients.
    case notForClients
    /// More bytes than are taken in or given out.
    case tooLarge
}
