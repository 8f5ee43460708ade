import ParleyModel

/// The fixed limits of the v1 dialect, besides the configurable `Limits`.
package enum V1Limits {
    /// The version of docs/PROTOCOL.md that this server implements, for clients to check. It rises by one with each
    /// release that changes what a client may rely on, additions too; an incompatible change gets another subprotocol.
    package static let protocolVersion: Int64 = 2
    /// Maximum length of `client_id`, in Unicode scalars.
    package static let clientIDScalars = Message.maximumClientIDScalars
    /// Maximum number of users in one `watch`.
    package static let watchedUsers = 500
    /// Maximum number of events in one `history` page.
    package static let historyEvents: Int64 = 200
    /// Default page size of `history`.
    package static let historyDefault: Int64 = 30
    /// Maximum number of threads in one `resume`.
    package static let resumeThreads = 10_000
    /// Maximum number of events replayed per thread; if more are missing, the client fetches them.
    package static let replayEvents: Int64 = 1000
    /// Maximum number of threads in `hello`.
    package static let helloThreads = 500
    /// Maximum length of an epoch from a client, in UTF-8 bytes.
    package static let epochBytes = 64
    /// Maximum length of the token in `auth`, in UTF-8 bytes.
    package static let tokenBytes = 16_384
}
