import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    @Suite("Files in an S3-compatible storage", .serialized)
    struct S3AttachmentTests {
        @Test("a large upload continues after cuts and a killed server, and is removed with its message")
        func multipart() async throws {
            let storage = try await S3Server.start()
            let process = try await ParleyProcess.start(environment: storage.environment(redirects: false))
            let (ann, bob) = (
                try await FileUser.signUp("ann", port: process.port),
                try await FileUser.signUp("bob", port: process.port)
            )
            let bytes = FileUser.bytes(30_000_000)
            let id = try await ann.declare(bytes)
            // Less than a part, then across the ends of parts, then a cut, then the rest.
            var offset = 0
            for end in [1_000_000, 9_000_000] {
                let reply = try await ann.patch(id, Array(bytes[offset..<end]), at: offset)
                offset = try #require(try reply.json()["offset"]?.int, "\(reply)")
                #expect(offset == end)
            }
            let cut = try await ann.beginPatch(id, bytes[offset..<20_000_000], of: bytes.count)
            #expect(try await eventually { try await ann.offset(id) ?? 0 >= 16_777_216 })
            try await cut.reset()
            try await process.restart()
            offset = try #require(try await ann.offset(id))
            #expect((16_777_216...20_000_000).contains(offset))
            let last = try await ann.patch(id, Array(bytes[offset...]), at: offset)
            #expect(try last.json()["complete"]?.bool == true, "\(last)")
            #expect(try await storage.keys() == ["attachments/\(id)"])
            let room = try await ann.join("Room")
            _ = try await bob.join("Room")
            let message = try await ann.send(id, in: room)
            #expect(try await bob.download(id).body == bytes)
            let range = try await bob.download(id, headers: [("Range", "bytes=8388600-8388615")])
            #expect(range.status == 206 && range.body == Array(bytes[8_388_600...8_388_615]))
            #expect(try await ann.http.send("DELETE", "/v1/threads/\(room)/messages/\(message)").status == 204)
            #expect(try await eventually { try await storage.keys().isEmpty })
            #expect(try await bob.download(id).status == 404)
            // An upload that is given up.
            let given = try await ann.declare(bytes)
            _ = try await ann.patch(given, Array(bytes[..<9_000_000]), at: 0)
            #expect(try await ann.http.send("DELETE", "/v1/attachments/\(given)").status == 204)
            #expect(try await eventually { try await storage.keys().isEmpty })
            #expect(try await storage.uploads().isEmpty)
            try await storage.stop()
        }

        @Test("a request that comes late does not replace a finished file, and leaves nothing behind")
        func late() async throws {
            let storage = try await S3Server.start()
            let process = try await ParleyProcess.start(environment: storage.environment(redirects: false))
            let ann = try await FileUser.signUp("ann", port: process.port)
            let (bytes, others) = (FileUser.bytes(1000), FileUser.bytes(1001).dropLast() + [])
            let id = try await ann.declare(bytes)
            let late = try await ann.beginPatch(id, others[..<500], of: others.count)
            let reply = try await ann.patch(id, bytes, at: 0)
            #expect(try reply.json()["complete"]?.bool == true, "\(reply)")
            try await late.send(others[500...] + [])
            let refusal = try await late.read().map { String(decoding: $0, as: UTF8.self) }
            #expect(refusal?.hasPrefix("HTTP/1.1 409") == true, "\(refusal ?? "none")")
            #expect(try await ann.download(id).body == bytes)
            #expect(try await ann.http.send("DELETE", "/v1/attachments/\(id)").status == 204)
            #expect(try await eventually { try await storage.keys().isEmpty })
            #expect(try await eventually { try await storage.uploads().isEmpty })
            // Bytes that the storage has lost have a status, not an empty body.
            let lost = try await ann.upload(bytes)
            #expect(try await storage.http.send("DELETE", "/\(S3Server.bucket)/attachments/\(lost)").status == 204)
            #expect(try await ann.download(lost).status == 404)
            try await storage.stop()
        }

        @Test("downloads are redirected to an address of the storage, which asks it for the file's headers")
        func redirects() async throws {
            let storage = try await S3Server.start()
            let process = try await ParleyProcess.start(environment: storage.environment(redirects: true))
            let ann = try await FileUser.signUp("ann", port: process.port)
            let page = Array("<script>alert(1)</script>".utf8)
            let id = try await ann.upload(page, type: "text/html")
            let reply = try await ann.download(id)
            #expect(reply.status == 302)
            let address = try #require(reply.header("Location"))
            let prefix = "http://127.0.0.1:\(storage.port)"
            try #require(address.hasPrefix(prefix))
            let file = try await HTTPClient(port: storage.port).get(String(address.dropFirst(prefix.count)))
            #expect(file.status == 200 && file.body == page, "\(file)")
            #expect(file.header("Content-Type") == "application/octet-stream")
            // moto ignores what the address asks for beside the object; S3 and MinIO answer with it.
            #expect(address.contains("response-content-disposition=attachment%3B"))
            #expect(
                try await ann.http.send("HEAD", "/v1/attachments/\(id)").header("Content-Length") == "\(page.count)")
            try await storage.stop()
            // Without the storage nothing is lost, and nothing hangs.
            let refused = try await ann.http.send("POST", "/v1/attachments?name=a", body: page)
            #expect(refused.status == 503 && refused.errorCode == "unavailable", "\(refused)")
        }
    }
}
