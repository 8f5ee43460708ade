import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ParleyAccounts
import ParleyMessaging
import ParleyModel
import ParleyPersister
import ParleyREST
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("Attachments over REST")
struct AttachmentTests {
    /// The header of a PNG of 800 by 600 pixels, and some bytes.
    static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 3, 32, 0, 0, 2, 88]
        + Array(repeating: 7, count: 100)

    // MARK: Uploads

    @Test("a file is uploaded with its declaration, and has its type, size, sum and dimensions")
    func once() async throws {
        try await RESTFixture.run { fixture in
            let ann = try await fixture.sessionUser("ann")
            let reply = try await ann.upload(Self.png, name: "Grüße 1.png", type: "image/png")
            #expect(reply.status == 201, "\(reply.text)")
            let id = try #require(reply.object["id"] as? String)
            #expect(reply.header("Location") == "/v1/attachments/\(id)")
            #expect(reply.object["complete"] as? Bool == true)
            #expect(reply.object["width"] as? Int == 800 && reply.object["height"] as? Int == 600)
            #expect((reply.object["sha256"] as? String)?.count == 64)
            let file = try await ann.get("/v1/attachments/\(id)")
            #expect(file.status == 200 && file.body == Self.png)
            #expect(file.header("Content-Type") == "image/png")
            #expect(file.header("Content-Security-Policy")?.hasPrefix("sandbox") == true)
            #expect(file.header("X-Content-Type-Options") == "nosniff")
            #expect(
                file.header("Content-Disposition")
                    == "inline; filename=\"Gr__e 1.png\"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%201.png")
        }
    }

    @Test("an upload continues where it was cut off, and nowhere else")
    func resumes() async throws {
        try await RESTFixture.run { fixture in
            let ann = try await fixture.sessionUser("ann")
            let sum = try #require(try await ann.upload(Self.png, name: "a", type: "").object["sha256"] as? String)
            let declared = try await ann.call(
                .post, "/v1/attachments",
                #"{"name":"a.png","type":"image/png","size":\#(Self.png.count),"sha256":"\#(sum.uppercased())"}"#)
            #expect(declared.status == 201 && declared.object["offset"] as? Int == 0, "\(declared.text)")
            let path = try #require(declared.header("Location"))
            // The connection breaks after 50 bytes.
            await #expect(throws: Cut.self) {
                _ = try await ann.patch(
                    path, offset: 0, pieces: [Array(Self.png[..<30]), Array(Self.png[30..<50])], isCut: true)
            }
            let head = try await fixture.send(.head, path, headers: [ann.cookie])
            #expect(head.header("Upload-Offset") == "50" && head.header("Upload-Length") == "\(Self.png.count)")
            #expect(try await ann.get(path).status == 409)
            for offset in [0, 49, 51, Self.png.count] {
                let wrong = try await ann.patch(path, offset: offset, pieces: [[1]])
                #expect(wrong.status == 409 && wrong.header("Upload-Offset") == "50", "\(offset)")
            }
            #expect(try await ann.patch(path, offset: nil, pieces: [[1]]).status == 400)
            for offset in ["+50", "-0", "5e1", "5_0", ""] {
                let signed = try await fixture.send(
                    .patch, path, headers: [ann.cookie, ("Upload-Offset", offset)], body: [1])
                #expect(signed.status == 400, "\(offset)")
            }
            for query in ["size=0", "size=5&type=image/png", "sha256=\(sum)"] {
                let declaration = #"{"name":"a.png","size":5}"#
                #expect(try await ann.call(.post, "/v1/attachments?\(query)", declaration).status == 400, "\(query)")
            }
            let part = try await ann.patch(path, offset: 50, pieces: [Array(Self.png[50..<60])])
            #expect(part.status == 200 && part.object["complete"] as? Bool == false, "\(part.text)")
            let last = try await ann.patch(path, offset: 60, pieces: [Array(Self.png[60...])])
            #expect(last.status == 200 && last.object["complete"] as? Bool == true, "\(last.text)")
            #expect(last.object["sha256"] as? String == sum && last.object["width"] as? Int == 800)
            #expect(try await ann.get(path).body == Self.png)
            #expect(try await ann.patch(path, offset: Self.png.count, pieces: []).status == 409)
        }
    }

    @Test("a request that another one has overtaken is told so; nothing is lost")
    func overtaken() async throws {
        try await RESTFixture.run { fixture in
            let ann = try await fixture.sessionUser("ann")
            let caller = Caller(Identity(user: ann.user, credential: .password))
            let declared = try await ann.call(.post, "/v1/attachments", #"{"name":"a","size":5}"#)
            let id = try #require((declared.object["id"] as? String).flatMap { AttachmentID($0) })
            let path = try #require(declared.header("Location"))
            _ = try await ann.patch(path, offset: 0, pieces: [[1, 2]])
            let stale = try await fixture.services.messaging.ownFile(id, of: caller)
            #expect(try await ann.patch(path, offset: 2, pieces: [[3, 4, 5]]).status == 200)
            let conflict = MessagingError.conflict("the upload was continued or ended by another request")
            await #expect(throws: conflict) { try await stale.append { nil } }
            #expect(try await ann.get(path).body == [1, 2, 3, 4, 5])
        }
    }

    @Test("more bytes than declared are refused, however they come")
    func tooMany() async throws {
        try await RESTFixture.run { fixture in
            let ann = try await fixture.sessionUser("ann")
            let path = try #require(
                try await ann.call(.post, "/v1/attachments", #"{"name":"a","size":5}"#).header("Location"))
            #expect(try await ann.patch(path, offset: 0, pieces: [[1, 2, 3], [4, 5, 6]]).status == 413)
            #expect(try await fixture.send(.head, path, headers: [ann.cookie]).header("Upload-Offset") == "3")
            let announced = try await fixture.send(
                .patch, path, headers: [ann.cookie, ("Upload-Offset", "3")], body: [4, 5, 6])
            #expect(announced.status == 413)
            #expect(try await ann.patch(path, offset: 3, pieces: [[4, 5]]).object["complete"] as? Bool == true)
        }
    }

    @Test("a file that is not what it was declared to be is removed")
    func wrongContent() async throws {
        try await RESTFixture.run { fixture in
            let ann = try await fixture.sessionUser("ann")
            let page = Array("<html><script>alert(1)</script></html>".utf8)
            for type in ["image/png", "application/pdf", "video/mp4", "image/unknown"] {
                let reply = try await ann.upload(page, name: "a", type: type)
                #expect(reply.status == 400 && reply.code == "bad_request", "\(type)")
                #expect(reply.message?.contains(type) == true)
            }
            let sum = String(repeating: "0", count: 64)
            #expect(try await ann.upload(Self.png, name: "a", type: "image/png", more: "&sha256=\(sum)").status == 400)
            _ = await fixture.sweeper.sweep()
            #expect(try await ann.get("/v1/attachments").object["used_files"] as? Int == 0)
            #expect(fixture.files.isEmpty)
        }
    }

    @Test(
        "a declaration that breaks a rule is refused",
        arguments: [
            (#"{"name":"a"}"#, 400), (#"{"size":5}"#, 400), (#"{"name":"","size":5}"#, 400),
            (#"{"name":"../a","size":5}"#, 400), (#"{"name":"a\nb","size":5}"#, 400), (#"{"name":"a","size":0}"#, 400),
            (#"{"name":"a","size":-1}"#, 400), (#"{"name":"a","size":11,"type":"image/png"}"#, 413),
            (#"{"name":"a","size":5,"type":"text/html"}"#, 400), (#"{"name":"a","size":5,"type":"?"}"#, 400),
            (#"{"name":"a","size":5,"type":"image/png","sha256":"12"}"#, 400),
            (#"{"name":"a","size":5,"type":"IMAGE/PNG; x=y"}"#, 201),
        ])
    func declarations(json: String, status: Int) async throws {
        let types = try #require(AttachmentTypes(parsing: "image/*, application/pdf"))
        let settings = AttachmentSettings(maximumBytes: 10, types: types)
        try await RESTFixture.run({ $0.attachments = settings }) { fixture in
            let ann = try await fixture.sessionUser("ann")
            let reply = try await ann.call(.post, "/v1/attachments", json)
            #expect(reply.status == status, "\(reply.text)")
        }
    }

    @Test("the quota of a user is counted, shown, and freed")
    func quota() async throws {
        let settings = AttachmentSettings(quota: AttachmentQuota(bytes: 200, files: 0))
        try await RESTFixture.run({ $0.attachments = settings }) { fixture in
            let (ann, bob) = (try await fixture.sessionUser("ann"), try await fixture.sessionUser("bob"))
            let first = try await ann.upload(Self.png, name: "a", type: "image/png")
            let full = try await ann.upload(Self.png, name: "b", type: "image/png")
            #expect(full.status == 413 && full.code == "too_large", "\(full.text)")
            #expect(try await bob.upload(Self.png, name: "b", type: "image/png").status == 201)
            let usage = try await ann.get("/v1/attachments").object
            #expect(usage["used_bytes"] as? Int == Self.png.count && usage["quota_bytes"] as? Int == 200)
            #expect(usage["quota_files"] is NSNull && usage["used_files"] as? Int == 1)
            let path = try #require(first.header("Location"))
            #expect(try await bob.call(.delete, path).status == 404)
            #expect(try await ann.call(.delete, path).status == 204)
            _ = await fixture.sweeper.sweep()
            #expect(try await ann.get(path).status == 404)
            #expect(try await ann.upload(Self.png, name: "b", type: "image/png").status == 201)
        }
    }

    @Test("without a storage there are no attachments")
    func off() async throws {
        try await RESTFixture.run({ $0.attachments = nil }) { fixture in
            let ann = try await fixture.sessionUser("ann")
            #expect(try await ann.upload(Self.png, name: "a", type: "image/png").status == 404)
            #expect(try await ann.get("/v1/attachments").status == 404)
            #expect(try await ann.get("/v1/attachments/x").status == 404)
        }
    }

    // MARK: Downloads

    @Test("ranges, tags and HEAD are those of HTTP")
    func ranges() async throws {
        try await RESTFixture.run { fixture in
            let ann = try await fixture.sessionUser("ann")
            let bytes = Array("0123456789".utf8)
            let path = try #require(try await ann.upload(bytes, name: "a", type: "").header("Location"))
            let get = { (headers: [(String, String)]) in
                try await fixture.send(.get, path, headers: [ann.cookie] + headers)
            }
            for (range, text, place) in [
                ("bytes=2-4", "234", "bytes 2-4/10"), ("bytes=7-", "789", "bytes 7-9/10"),
                ("bytes=-3", "789", "bytes 7-9/10"), ("bytes=-99", "0123456789", "bytes 0-9/10"),
                ("bytes=8-99999999999999999999", "89", "bytes 8-9/10"),
            ] {
                let reply = try await get([("Range", range)])
                #expect(reply.status == 206 && reply.text == text, "\(range)")
                #expect(reply.header("Content-Range") == place)
                #expect(reply.header("Content-Length") == "\(text.count)")
            }
            for range in ["bytes=10-", "bytes=-0"] {
                let reply = try await get([("Range", range)])
                #expect(reply.status == 416 && reply.header("Content-Range") == "bytes */10", "\(range)")
            }
            for range in ["bytes=4-2", "bytes=1-2,4-5", "lines=1-2", "bytes=", "bytes=-", "bytes=+1-2"] {
                let reply = try await get([("Range", range)])
                #expect(reply.status == 200 && reply.text == "0123456789", "\(range)")
            }
            let tag = try #require(try await get([]).header("ETag"))
            #expect(try await get([("If-None-Match", tag)]).status == 304)
            #expect(try await get([("If-None-Match", tag)]).header("Content-Length") == nil)
            #expect(try await get([("If-None-Match", "\"x\"")]).status == 200)
            #expect(try await get([("Range", "bytes=1-2"), ("If-Range", tag)]).status == 206)
            #expect(try await get([("Range", "bytes=1-2"), ("If-Range", "\"x\"")]).status == 200)
            let head = try await fixture.send(.head, path, headers: [ann.cookie])
            #expect(head.status == 200 && head.body.isEmpty && head.header("Content-Length") == "10")
            #expect(head.header("Accept-Ranges") == "bytes")
        }
    }

    @Test(
        "what a browser could run is a download without a type",
        arguments: ["text/html", "image/svg+xml", "text/javascript"])
    func isNoPage(type: String) async throws {
        try await RESTFixture.run { fixture in
            let ann = try await fixture.sessionUser("ann")
            let page = Array("<svg><script>alert(1)</script></svg>".utf8)
            let path = try #require(try await ann.upload(page, name: "a.html", type: type).header("Location"))
            let reply = try await ann.get(path)
            #expect(reply.header("Content-Type") == "application/octet-stream")
            #expect(reply.header("Content-Disposition")?.hasPrefix("attachment;") == true)
        }
    }

    // MARK: Messages

    @Test("a message refers to an attachment by id, and its members may download it until it is deleted")
    func message() async throws {
        try await RESTFixture.run { fixture in
            let (ann, bob, carl) = (
                try await fixture.sessionUser("ann"), try await fixture.sessionUser("bob"),
                try await fixture.sessionUser("carl")
            )
            let room = try await ann.join("Room")
            _ = try await bob.join("Room")
            let file = try await ann.upload(Self.png, name: "a.png", type: "image/png").object
            let (id, path) = (try #require(file["id"] as? String), try #require(file["url"] as? String))
            #expect(try await bob.get(path).status == 404)
            let sent = try await ann.send(parts: #"[{"attachment":"\#(id)","url":"https://evil.example/"}]"#, in: room)
            #expect(sent.status == 201, "\(sent.text)")
            // Before and after it is stored.
            #expect(try await bob.get(path).body == Self.png)
            try await fixture.persist()
            #expect(try await bob.get(path).body == Self.png)
            #expect(try await carl.get(path).status == 404)
            #expect(try await fixture.send(.get, path).status == 401)
            let part = try #require((try await bob.messages(room).first?["parts"] as? [[String: Any]])?.first)
            #expect(part["attachment"] as? String == id && part["url"] as? String == path)
            #expect(part["type"] as? String == "image/png" && part["name"] as? String == "a.png")
            #expect(part["size"] as? Int == Self.png.count && part["width"] as? Int == 800)
            #expect(try await ann.call(.delete, path).status == 409)
            let message = try #require(sent.object["id"] as? String)
            #expect(try await ann.call(.delete, "/v1/threads/\(room)/messages/\(message)").status == 204)
            try await fixture.persist()
            _ = await fixture.sweeper.sweep()
            for user in [ann, bob] { #expect(try await user.get(path).status == 404) }
            #expect(fixture.files.isEmpty)
        }
    }

    @Test("a message cannot refer to what its sender has not uploaded completely")
    func foreign() async throws {
        try await RESTFixture.run { fixture in
            let (ann, bob) = (try await fixture.sessionUser("ann"), try await fixture.sessionUser("bob"))
            let room = try await ann.join("Room")
            _ = try await bob.join("Room")
            let theirs = try #require(try await bob.upload(Self.png, name: "b", type: "").object["id"] as? String)
            let unfinished = try #require(
                try await ann.call(.post, "/v1/attachments", #"{"name":"a","size":5}"#).object["id"] as? String)
            for id in [theirs, unfinished, "none"] {
                let reply = try await ann.send(parts: #"[{"attachment":"\#(id)"}]"#, in: room)
                #expect(reply.status == 404 && reply.message?.contains(id) == true, "\(reply.text)")
            }
            #expect(try await ann.send(parts: #"[{"attachment":"../x"}]"#, in: room).status == 400)
            try await fixture.persist()
            #expect(try await ann.messages(room).isEmpty)
        }
    }

    @Test("a repeated send is a repeat, and leaves no second use")
    func repeated() async throws {
        try await RESTFixture.run { fixture in
            let ann = try await fixture.sessionUser("ann")
            let room = try await ann.join("Room")
            let id = try #require(try await ann.upload(Self.png, name: "a", type: "").object["id"] as? String)
            let send = { try await ann.send(parts: #"[{"attachment":"\#(id)"}]"#, in: room, key: "c-1") }
            let first = try await send()
            #expect(try await send().object["repeat"] as? Bool == true)
            try await fixture.persist()
            let message = try #require(first.object["id"] as? String)
            _ = try await ann.call(.delete, "/v1/threads/\(room)/messages/\(message)")
            try await fixture.persist()
            _ = await fixture.sweeper.sweep()
            #expect(fixture.files.isEmpty)
        }
    }

    @Test("the files of an erased user are removed")
    func erased() async throws {
        try await RESTFixture.run { fixture in
            let (ann, bob) = (try await fixture.sessionUser("ann"), try await fixture.sessionUser("bob"))
            let room = try await ann.join("Room")
            _ = try await bob.join("Room")
            let file = try await ann.upload(Self.png, name: "a", type: "").object
            let (id, path) = (try #require(file["id"] as? String), try #require(file["url"] as? String))
            _ = try await ann.send(parts: #"[{"attachment":"\#(id)"}]"#, in: room)
            try await fixture.persist()
            #expect(try await bob.get(path).status == 200)
            #expect(try await ann.call(.delete, "/v1/me").status == 204)
            #expect(try await bob.get(path).status == 404)
            _ = await fixture.sweeper.sweep()
            #expect(fixture.files.isEmpty)
        }
    }

    @Test("what nobody sends within a day is removed")
    func orphans() async throws {
        try await RESTFixture.run { fixture in
            let ann = try await fixture.sessionUser("ann")
            let room = try await ann.join("Room")
            let kept = try await ann.upload(Self.png, name: "a", type: "").object
            let lost = try await ann.upload(Self.png, name: "b", type: "").object
            let id = try #require(kept["id"] as? String)
            _ = try await ann.send(parts: #"[{"attachment":"\#(id)"}]"#, in: room)
            try await fixture.persist()
            let paths = try [kept, lost].map { try #require($0["url"] as? String) }
            for (milliseconds, statuses) in [(86_399_000, [200, 200]), (2000, [200, 404])] as [(Int64, [Int])] {
                fixture.clock.advance(milliseconds: milliseconds)
                _ = await fixture.sweeper.sweep()
                for (path, status) in zip(paths, statuses) { #expect(try await ann.get(path).status == status) }
            }
            #expect(fixture.files.count == 1)
        }
    }
}

/// The connection of an upload breaks.
private struct Cut: Error {}

extension SessionUser {
    func upload(
        _ bytes: [UInt8], name: String, type: String, more: String = ""
    ) async throws -> Reply {
        let query = "name=\(RESTFixture.encoded(name))&type=\(RESTFixture.encoded(type))&size=\(bytes.count)\(more)"
        return try await fixture.send(.post, "/v1/attachments?\(query)", headers: [cookie], body: bytes)
    }

    /// - Parameter isCut: the connection breaks after the pieces.
    fileprivate func patch(
        _ path: String, offset: Int?, pieces: [[UInt8]], isCut: Bool = false
    ) async throws -> Reply {
        var fields = HTTPFields()
        fields[.cookie] = cookie.1
        fields[try #require(HTTPField.Name("Upload-Offset"))] = offset.map { "\($0)" }
        let buffers = AsyncThrowingStream<ByteBuffer, any Error> { continuation in
            for piece in pieces { continuation.yield(ByteBuffer(bytes: piece)) }
            continuation.finish(throwing: isCut ? Cut() : nil)
        }
        return try await fixture.send(.patch, path, fields, RequestBody(asyncSequence: buffers))
    }

    func send(parts: String, in thread: ThreadID, key: String? = nil) async throws -> Reply {
        try await call(
            .post, "/v1/threads/\(thread)/messages", "{\"parts\":\(parts)}",
            headers: key.map { [("Idempotency-Key", $0)] } ?? [])
    }
}

extension RESTFixture {
    /// The files of the storage, finished or not.
    var files: [String] {
        let all = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
        return all.filter { $0.split(separator: "/").last?.count == 32 }
    }
}
