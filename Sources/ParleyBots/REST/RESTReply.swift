import NIOCore

/// The answer to an HTTP call.
struct RESTReply: Sendable {
    let status: Int
    let body: ByteBuffer
}
