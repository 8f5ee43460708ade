/// What the v1 dialect allows besides the `Limits` that are settings.
package enum V1Limits {
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
