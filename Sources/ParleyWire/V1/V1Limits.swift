/// What the v1 dialect allows besides the `Limits` that are settings.
package enum V1Limits {
    /// The version of docs/PROTOCOL.md that this server speaks, for clients to test. It rises by one with each release that
    /// changes what a client may rely on, additions too; what would break a client of v1 gets another subprotocol.
    package static let protocolVersion: Int64 = 1
    /// The longest `client_id`, in Unicode scalars.
    package static let clientIDScalars = 64
    /// The most users of one `watch`.
    package static let watchedUsers = 500
    /// The most events of one `history`.
    package static let historyEvents: Int64 = 200
    /// The events of a `history` that does not say how many.
    package static let historyDefault: Int64 = 30
    /// The most threads of one `resume`.
    package static let resumeThreads = 10_000
    /// The most events of one thread that are replayed; of more the client is told to fetch them.
    package static let replayEvents: Int64 = 1000
    /// The most threads in `hello`.
    package static let helloThreads = 500
    /// The longest epoch that a client may name, in UTF-8 bytes.
    package static let epochBytes = 64
    /// The longest token of `auth`, in UTF-8 bytes.
    package static let tokenBytes = 16_384
}
