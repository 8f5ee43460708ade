private import CWebClient
import NIOCore
import ParleyModel

/// A file of the web app, so that the page can talk to the kit on its own origin.
struct WebFile {
    let type: String
    let body: ByteBuffer

    /// - Returns: `nil` if there is no such file.
    init?(path: String) {
        let name = path == "/" ? "index.html" : String(path.dropFirst())
        let files = UnsafeBufferPointer(start: web_client_files(), count: web_client_file_count())
        guard let file = files.first(where: { String(cString: $0.name) == name }) else { return nil }
        body = ByteBuffer(bytes: UnsafeRawBufferPointer(start: file.bytes, count: file.count))
        type = MediaType.ofWebFile(name)
    }
}
