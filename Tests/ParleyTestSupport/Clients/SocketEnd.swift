/// How a WebSocket connection ended.
package struct SocketEnd: Hashable, Sendable {
    /// The code of the server's close frame; `nil` if the connection ended without one.
    package let code: Int?
    package let reason: String

    package init(code: Int?, reason: String = "") {
        self.code = code
        self.reason = reason
    }
}
