private import CWebClient
import NIOCore
import ParleyModel

/// A file of the web app, which the kit serves so that the page has the kit as its origin.
struct WebFile {
    let type: String
    let body: ByteBuffer

    /// - Returns: `nil` if the file does not exist.
    init?(path: String) {
        let name = path == "/" ? "index.html" : String(path.dropFirst())
        let files = UnsafeBufferPointer(start: web_client_files(), count: web_client_file_count())
        guard let file = files.first(where: { String(cString: $0.name) == name }) else { return nil }
        body = ByteBuffer(bytes: UnsafeRawBufferPointer(start: file.bytes, count: file.count))
        type = MediaType.ofWebFile(name)
    }
}
