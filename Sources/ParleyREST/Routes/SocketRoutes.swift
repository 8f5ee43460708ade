import HTTPTypes
import Hummingbird

/// The paths of the sockets, for those who come without an upgrade: 426 (RFC 9110 §15.5.22).
func socketRoutes() -> [Route] {
    ["/chat", "/connect", "/v1/socket"].map { path in
        Route(.get, path: path) { _, _ in
            var error = APIError.badRequest("this is a WebSocket; an Upgrade header with websocket is needed")
            error.status = .upgradeRequired
            error.headers[.upgrade] = "websocket"
            error.headers[.connection] = "upgrade"
            throw error
        }
    }
}
