private import CWebClient
import NIOCore
import ParleyModel

/// The files of the web client, the console and the API documentation, which are in `Sources/CWebClient/files`.
enum StaticFiles {
    /// The content of each file by its name, such as `app/main.js`; pages and documents have short names.
    static let contents: [String: ByteBuffer] = Dictionary(
        UnsafeBufferPointer(start: web_client_files(), count: web_client_file_count()).map { file in
            let bytes = UnsafeRawBufferPointer(start: file.bytes, count: file.count)
            return (String(cString: file.name), ByteBuffer(bytes: bytes))
        }, uniquingKeysWith: { first, _ in first })

    /// The files that are the same with all settings, at the root of the server.
    static let common: [StaticFile] = contents.keys.filter { !isOfApp($0) || $0.hasPrefix("shared/") }.sorted()
        .map { file($0, below: "/") }

    /// The files of the web client that are the same with all settings, by their names.
    private static let names: [String] = contents.keys.filter(isOfApp)
        .filter { !["index.html", "app/manifest.webmanifest"].contains($0) }.sorted()

    /// The same files at the root of the server, made once for the many routers of tests.
    private static let app: [StaticFile] = names.filter { !$0.hasPrefix("shared/") }.map { file($0, below: "/") }

    static func app(below path: String) -> [StaticFile] {
        path == "/" ? app : names.map { file($0, below: path) }
    }

    private static func isOfApp(_ name: String) -> Bool {
        ["app/", "client/", "shared/"].contains { name.hasPrefix($0) }
            || ["index.html", "serviceWorker.js"].contains(name)
    }

    private static func file(_ name: String, below path: String) -> StaticFile {
        // Pages have no suffix in their paths.
        let place = ["console.html": "console", "docs.html": "docs"][name] ?? name
        return StaticFile(path + place, MediaType.ofWebFile(name), contents[name] ?? ByteBuffer())
    }
}
