import NIOCore

/// The response to an HTTP call.
struct RESTReply: Sendable {
    let status: Int
    let body: ByteBuffer
    /// The session that the response has begun: the value of the cookie `sessionid`.
    let session: String?
}
