private import CWebClient
import ParleyModel

/// The files of the web client, the console and the API documentation, which are in `Sources/CWebClient/files`.
enum StaticFiles {
    static let all: [StaticFile] = UnsafeBufferPointer(start: web_client_files(), count: web_client_file_count())
        .map { file in
            let name = String(cString: file.name)
            return StaticFile(
                path(of: name), MediaType.ofWebFile(name), UnsafeRawBufferPointer(start: file.bytes, count: file.count))
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
}
