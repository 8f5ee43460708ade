private import CWebClient

/// The files of the web client, the console and the API documentation, which are in `Sources/CWebClient/files`.
enum StaticFiles {
    static let all: [StaticFile] = UnsafeBufferPointer(start: web_client_files(), count: web_client_file_count())
        .map { file in
            let name = String(cString: file.name)
            return StaticFile(
                path(of: name), type(of: name), UnsafeRawBufferPointer(start: file.bytes, count: file.count))
        }

    /// Pages have no suffix in their paths.
    private static func path(of name: String) -> String {
        switch name {
        case "index.html": "/"
        case "console.html": "/console"
        case "docs.html": "/docs"
        default: "/" + name
        }
    }

    /// The `Content-Type`.
    private static func type(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        case "json": "application/json"
        case "webmanifest": "application/manifest+json"
        case "png": "image/png"
        case "md": "text/markdown; charset=utf-8"
        default: "application/octet-stream"
        }
    }
}
