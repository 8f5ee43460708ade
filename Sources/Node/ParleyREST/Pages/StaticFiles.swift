private import CWebClient
import NIOCore
import ParleyModel

/// The files of the web client, the console and the API documentation, from `Sources/CWebClient/files`.
enum StaticFiles {
    /// The content of each file by name, such as `app/main.js`. Pages and documents have short names.
    static let contents: [String: ByteBuffer] = Dictionary(
        UnsafeBufferPointer(start: web_client_files(), count: web_client_file_count()).map { file in
            let bytes = UnsafeRawBufferPointer(start: file.bytes, count: file.count)
            return (String(cString: file.name), ByteBuffer(bytes: bytes))
        }, uniquingKeysWith: { first, _ in first })

    /// The files at the root of the server that do not depend on settings.
    static let common: [StaticFile] = contents.keys.filter { !isOfApp($0) || $0.hasPrefix("shared/") }.sorted()
        .map { file($0, below: "/") }

    /// The names of the web client's files that do not depend on settings.
    private static let names: [String] = contents.keys.filter(isOfApp)
        .filter { !["index.html", "app/manifest.webmanifest"].contains($0) }.sorted()

    /// These files at the root of the server. They are made once, since tests make many routers.
    private static let app: [StaticFile] = names.filter { !$0.hasPrefix("shared/") }.map { file($0, below: "/") }

    static func app(below path: String) -> [StaticFile] {
        path == "/" ? app : names.map { file($0, below: path) }
    }

    private static func isOfApp(_ name: String) -> Bool {
        ["app/", "client/", "shared/"].contains { name.hasPrefix($0) }
            || ["index.html", "serviceWorker.js"].contains(name)
    }

    private static func file(_ name: String, below path: String) -> StaticFile {
        // The paths of pages have no suffix.
        let place = ["console.html": "console", "docs.html": "docs"][name] ?? name
        return StaticFile(path + place, MediaType.ofWebFile(name), contents[name] ?? ByteBuffer())
    }
}
