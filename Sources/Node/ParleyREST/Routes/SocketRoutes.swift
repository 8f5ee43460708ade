import HTTPTypes
import Hummingbird

/// The WebSocket paths, the only paths that may end with a slash.
enum SocketPaths {
    static let all: Set<String> = ["/chat", "/connect", "/v1/socket"]
}

/// Returns the routes of WebSocket paths for requests without an upgrade, which get 426 (RFC 9110 §15.5.22).
func socketRoutes() -> [Route] {
    SocketPaths.all.map { path in
        Route(.get, path: path, for: .anyone) { _, _ in
            var error = APIError.badRequest("this is a WebSocket; an Upgrade header with websocket is required")
            error.status = .upgradeRequired
            error.headers[.upgrade] = "websocket"
            error.headers[.connection] = "upgrade"
            throw error
        }
    }
}
