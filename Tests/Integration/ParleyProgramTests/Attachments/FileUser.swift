import Crypto
import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

/// A user who uploads and downloads files.
struct FileUser: Sendable {
    let name: String
    let http: HTTPClient
    private let headers: HTTPClient.Headers

    init(_ user: TestUser, _ name: String, port: Int) {
        self.name = name
        headers = user.cookieHeader
        http = HTTPClient(port: port, headers: headers)
    }

    static func signUp(_ name: String, port: Int) async throws -> FileUser {
        FileUser(try await TestUser.signUp(name, port: port), name, port: port)
    }

    /// Joins the room of this title.
    func join(_ title: String) async throws -> String {
        let reply = try await http.post("/v1/threads", json: ["title": .string(title)])
        return try #require(try reply.json()["id"]?.string, "\(reply)")
    }

    /// A socket after its `hello`.
    func socket(port: Int) async throws -> TestSocket {
        let socket = try await TestSocket.connect(port: port, headers: headers, subprotocols: ["parley.v1"])
        _ = try await socket.nextJSON { $0["type"]?.string == "hello" }
        return socket
    }

    // MARK: Files

    /// Declares a file; returns its id.
    func declare(_ bytes: [UInt8], type: String = "application/octet-stream") async throws -> String {
        let sum = SHA256.hash(data: bytes).map { String(format: "%02x", $0) }.joined()
        let reply = try await http.post(
            "/v1/attachments",
            json: [
                "name": "file", "type": .string(type), "size": .int(bytes.count), "sha256": .string(sum),
            ])
        return try #require(try reply.json()["id"]?.string, "\(reply)")
    }

    func upload(_ bytes: [UInt8], type: String = "application/octet-stream") async throws -> String {
        let reply = try await http.send(
            "POST", "/v1/attachments?name=file&type=\(HTTPClient.escape(type))", body: bytes)
        #expect(reply.status == 201, "\(reply)")
        return try #require(try reply.json()["id"]?.string)
    }

    func patch(_ id: String, _ bytes: [UInt8], at offset: Int) async throws -> HTTPReply {
        try await http.send(
            "PATCH", "/v1/attachments/\(id)", headers: [("Upload-Offset", "\(offset)")], body: bytes)
    }

    /// Begins a request with the rest of a file, and sends only some of it.
    func beginPatch(_ id: String, _ bytes: ArraySlice<UInt8>, of size: Int) async throws -> RawConnection {
        let connection = try await RawConnection.connect(port: http.port)
        let all = [
            ("Host", "x"), ("Upload-Offset", "\(bytes.startIndex)"), ("Content-Length", "\(size - bytes.startIndex)"),
        ]
        let lines = (all + headers).map { "\($0.0): \($0.1)\r\n" }.joined()
        try await connection.send(Array("PATCH /v1/attachments/\(id) HTTP/1.1\r\n\(lines)\r\n".utf8) + bytes)
        return connection
    }

    func offset(_ id: String) async throws -> Int? {
        let reply = try await http.send("HEAD", "/v1/attachments/\(id)")
        return reply.header("Upload-Offset").flatMap { Int($0) }
    }

    func download(_ id: String, headers: HTTPClient.Headers = []) async throws -> HTTPReply {
        try await http.get("/v1/attachments/\(id)", headers: headers)
    }

    func send(_ attachment: String, in thread: String) async throws -> String {
        let reply = try await http.post(
            "/v1/threads/\(thread)/messages", json: ["parts": [["attachment": .string(attachment)]]])
        return try #require(try reply.json()["id"]?.string, "\(reply)")
    }

    /// Some bytes that differ at every place.
    static func bytes(_ count: Int) -> [UInt8] {
        var random = SeededGenerator(UInt64(count))
        return (0..<(count + 7) / 8).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }.prefix(count)
            + []
    }
}

/// The files in the folder of an attachment storage, finished or not.
func storedFiles(in folder: String) -> Int {
    let all = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
    return all.count { $0.split(separator: "/").last?.count == 32 }
}
