import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    @Suite("Files that users send")
    struct AttachmentTests {
        private static let png: [UInt8] =
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
            + [0, 0, 3, 32, 0, 0, 2, 88] + FileUser.bytes(1000)

        @Test("an upload that is cut off, and whose server is killed, continues where it was")
        func resumes() async throws {
            let process = try await ParleyProcess.start()
            let ann = try await FileUser.signUp("ann", port: process.port)
            let bytes = FileUser.bytes(20_000_000)
            let id = try await ann.declare(bytes)
            let cut = try await ann.beginPatch(id, bytes[..<5_000_000], of: bytes.count)
            #expect(try await eventually { try await ann.offset(id) ?? 0 > 4_000_000 })
            // Another request must wait until the first one has ended.
            let saved = try #require(try await ann.offset(id))
            #expect(try await ann.patch(id, [1], at: saved).status == 409)
            try await cut.reset()
            #expect(try await eventually { try await ann.offset(id) == 5_000_000 })
            #expect(try await ann.patch(id, [1], at: 5).header("Upload-Offset") == "5000000")
            let killed = try await ann.beginPatch(id, bytes[5_000_000..<15_000_000], of: bytes.count)
            #expect(try await eventually { try await ann.offset(id) ?? 0 > 8_000_000 })
            try await process.restart()
            await killed.close()
            let offset = try #require(try await ann.offset(id))
            #expect((8_000_000...15_000_000).contains(offset))
            let last = try await ann.patch(id, Array(bytes[offset...]), at: offset)
            #expect(try last.json()["complete"]?.bool == true, "\(last)")
            #expect(try await ann.download(id).body == bytes)
            let range = try await ann.download(id, headers: [("Range", "bytes=19999990-")])
            #expect(range.status == 206 && range.body == Array(bytes[19_999_990...]))
        }

        @Test("limits of size, type and quota are those of the settings")
        func limits() async throws {
            let process = try await ParleyProcess.start(environment: [
                "PARLEY_ATTACHMENTS_FILE_BYTES": "5000", "PARLEY_ATTACHMENTS_TYPES": "image/*",
                "PARLEY_ATTACHMENTS_USER_FILES": "2",
            ])
            let ann = try await FileUser.signUp("ann", port: process.port)
            let path = "/v1/attachments?name=a&type=image/png"
            #expect(try await ann.http.send("POST", path, body: FileUser.bytes(5001)).status == 413)
            #expect(try await ann.http.send("POST", path, body: FileUser.bytes(50)).status == 400)
            #expect(try await ann.http.send("POST", "/v1/attachments?name=a&type=text/html", body: [1]).status == 400)
            // The one that was not what it was declared to be is removed.
            #expect(try await eventually { try await ann.http.get("/v1/attachments").json()["used_files"]?.int == 0 })
            for status in [201, 201, 413] {
                #expect(try await ann.http.send("POST", path, body: Self.png).status == status)
            }
        }

        @Test("uploads can be off")
        func off() async throws {
            let process = try await ParleyProcess.start(environment: ["PARLEY_ATTACHMENTS_FOLDER": "off"])
            let ann = try await FileUser.signUp("ann", port: process.port)
            #expect(try await ann.http.get("/v1/attachments").status == 404)
            #expect(!FileManager.default.fileExists(atPath: process.databasePath + ".files"))
        }

        @Test("an image of one's own becomes an avatar, which everybody may see until it is replaced")
        func avatar() async throws {
            let process = try await ParleyProcess.start()
            let (ann, bob) = (
                try await FileUser.signUp("ann", port: process.port),
                try await FileUser.signUp("bob", port: process.port)
            )
            let set = { (user: FileUser, id: String) in
                try await user.http.send(
                    "PATCH", "/v1/me", headers: [("Content-Type", "application/json")],
                    body: Array(#"{"avatar_url":"/v1/attachments/\#(id)"}"#.utf8))
            }
            let (image, text) = (
                try await ann.upload(Self.png, type: "image/png"), try await ann.upload(Self.png, type: "text/plain")
            )
            #expect(try await bob.download(image).status == 404)
            for (user, id, status) in [(ann, text, 400), (bob, image, 404), (ann, "none", 404), (ann, image, 200)] {
                #expect(try await set(user, id).status == status)
            }
            #expect(try await bob.download(image).body == Self.png)
            let annID = try #require(try await ann.http.get("/v1/me").json()["id"]?.string)
            let profile = try await bob.http.get("/v1/users/\(annID)").json()
            #expect(profile["avatar_url"]?.string == "/v1/attachments/\(image)")
            #expect(try await ann.http.send("DELETE", "/v1/attachments/\(image)").status == 409)
            let other = try await ann.upload(Self.png, type: "image/png")
            #expect(try await set(ann, other).status == 200)
            #expect(try await eventually { try await ann.download(image).status == 404 })
            #expect(try await bob.download(other).status == 200)
        }

        @Test("a file sent on a socket reaches members, nobody else, and goes with its message, thread and owner")
        func embedded() async throws {
            let process = try await ParleyProcess.start()
            try await Self.chat(
                rest: process.port, sockets: [process.port, process.port], folder: process.databasePath + ".files")
        }

        @Test("so it does in a cluster, whose gateways have no files")
        func cluster() async throws {
            let folder = try TemporaryDirectory()
            let path = folder.path + "/files"
            let cluster = try await ProgramCluster.start(environment: ["PARLEY_ATTACHMENTS_FOLDER": path])
            try await Self.chat(rest: cluster.persister.port, sockets: cluster.gateways.map(\.port), folder: path)
            try await cluster.stop()
        }

        private static func chat(rest: Int, sockets: [Int], folder: String) async throws {
            let (ann, bob, carl) = (
                try await FileUser.signUp("ann", port: rest), try await FileUser.signUp("bob", port: rest),
                try await FileUser.signUp("carl", port: rest)
            )
            let room = try await ann.join("Room")
            _ = try await bob.join("Room")
            let (sender, receiver) = (
                try await ann.socket(port: sockets[0]), try await bob.socket(port: sockets[1])
            )
            let id = try await ann.upload(png, type: "image/png")
            let parts: JSONValue = [["attachment": .string(id)], ["type": "text/plain", "content": "look"]]
            // Messages after it stay behind it.
            try await sender.send(json: ["message": ["id": .string(room), "parts": parts], "ref": 1])
            try await sender.send(json: ["message": ["id": .string(room), "text": "after"], "ref": 2])
            let foreign: JSONValue = [["attachment": "none"]]
            try await sender.send(json: ["message": ["id": .string(room), "parts": foreign], "ref": 3])
            let ack = try await sender.nextJSON { $0["ref"]?.int == 1 }
            #expect(ack["type"]?.string == "ack", "\(ack)")
            #expect(try await sender.nextJSON { $0["ref"]?.int == 3 }["code"]?.string == "not_found")
            let event = try await receiver.nextJSON { $0["type"]?.string == "message" }
            let part = try #require(event["parts"]?.array?.first)
            #expect(part["attachment"]?.string == id && part["url"]?.string == "/v1/attachments/\(id)")
            #expect(part["type"]?.string == "image/png" && part["width"]?.int == 800)
            // At once, though it may not be stored yet.
            #expect(try await bob.download(id).body == png)
            #expect(try await carl.download(id).status == 404)
            #expect(try await receiver.nextJSON { $0["type"]?.string == "message" }["text"]?.string == "after")

            let message = try #require(ack["id"]?.string)
            try await sender.send(json: ["delete": ["id": .string(room), "message_id": .string(message)], "ref": 4])
            #expect(try await sender.nextJSON { $0["ref"]?.int == 4 }["type"]?.string == "ack")
            #expect(try await eventually { try await bob.download(id).status == 404 })
            #expect(try await eventually { storedFiles(in: folder) == 0 })

            let other = try await ann.join("Other")
            for thread in [room, other] { _ = try await ann.send(try await ann.upload(png), in: thread) }
            _ = try await ann.upload(png)
            #expect(storedFiles(in: folder) == 3)
            let isStored = try await eventually {
                try await ann.http.get("/v1/threads/\(other)/messages").json()["messages"]?.array?.count == 1
            }
            #expect(isStored)
            #expect(try await ann.http.send("DELETE", "/v1/threads/\(other)").status == 204)
            #expect(try await eventually { storedFiles(in: folder) == 2 })
            #expect(try await ann.http.send("DELETE", "/v1/me").status == 204)
            #expect(try await eventually { storedFiles(in: folder) == 0 })
        }
    }
}
