extension MediaType {
    /// Returns the `Content-Type` of a file of the web client, by its suffix.
    package static func ofWebFile(_ name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        case "json": "application/json"
        case "webmanifest": "application/manifest+json"
        case "png": "image/png"
        case "md": "text/markdown; charset=utf-8"
        default: binary
        }
    }
}
