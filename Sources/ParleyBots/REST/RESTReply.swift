import NIOCore

/// The answer to an HTTP call.
struct RESTReply: Sendable {
    let status: Int
    let body: ByteBuffer
    /// Of the session that the answer has begun: the value of the cookie `sessionid`.
    let session: String?
}
