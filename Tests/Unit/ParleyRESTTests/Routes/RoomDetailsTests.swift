import HTTPTypes
import ParleyModel
import Testing

@Suite("Details of rooms and blocks over REST")
struct RoomDetailsTests {
    @Test("details are set by those who may, shown where the documents say, and refused with the reason")
    func details() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let made = try await alice.call(.post, "/v1/threads", #"{"title":"Tea"}"#)
            let path = "/v1/threads/\(made.object["id"] as? String ?? "")"
            _ = try await bob.call(.post, "/v1/threads", #"{"title":"Tea"}"#)
            let change = #"""
                {"topic":"Green","description":"a\nb","rules":"c","slow_mode_seconds":30,"rights":{"attach":"moderators"}}
                """#
            let changed = try await alice.call(.patch, path, change)
            #expect(changed.status == 200 && changed.object["topic"] as? String == "Green")
            #expect(changed.object["description"] as? String == "a\nb" && changed.object["rules"] as? String == "c")
            let rights = ["write": "everyone", "attach": "moderators", "mention": "everyone", "add": "moderators"]
            let listed = try await bob.get("/v1/threads").object["threads"] as? [[String: Any]]
            #expect(listed?.first?["rights"] as? [String: String] == rights)
            #expect(listed?.first?["slow_mode_seconds"] as? Int == 30 && listed?.first?["rules"] == nil)
            #expect(try await bob.call(.patch, path, #"{"topic":"x"}"#).status == 403)
            let malformed = [
                #"{"rights":{"write":"nobody"}}"#, #"{"rights":{"sing":"everyone"}}"#, #"{"rights":[]}"#,
                #"{"archived":1}"#, #"{"slow_mode_seconds":21601}"#, #"{"topic":"a\nb"}"#, "{}",
            ]
            for body in malformed { #expect(try await alice.call(.patch, path, body).status == 400, "\(body)") }

            #expect(try await bob.call(.post, path + "/messages", #"{"text":"one"}"#).status == 201)
            let early = try await bob.call(.post, path + "/messages", #"{"text":"two"}"#)
            #expect(early.status == 429 && early.text.contains("slow mode: one message in 30 s"))
            #expect(try await alice.call(.post, path + "/messages", #"{"text":"three"}"#).status == 201)
            #expect(try await alice.call(.patch, path, #"{"archived":true,"topic":null}"#).object["topic"] == nil)
            let refused = try await alice.call(.post, path + "/messages", #"{"text":"four"}"#)
            #expect(refused.status == 403 && refused.text.contains("the room is archived"))
            #expect(try await alice.get(path).object["archived"] as? Bool == true)
            let audit = try await alice.get(path + "/audit?action=room").object["entries"] as? [[String: Any]]
            #expect(audit?.count == 2)
        }
    }

    @Test(
        "a picture is set by its uploader, shown to members, read by those who may see the room, and removed when replaced"
    )
    func picture() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let made = try await alice.call(.post, "/v1/threads", #"{"title":"Tea"}"#)
            let path = "/v1/threads/\(made.object["id"] as? String ?? "")"
            var files: [String] = []
            for name in ["one", "two"] {
                let file = try await alice.upload(AttachmentTests.png, name: name, type: "image/png")
                files.append(try #require(file.object["id"] as? String))
            }
            let text = try await alice.upload(Array("text".utf8), name: "text", type: "text/plain")
            for wrong in [text.object["id"] as? String ?? "", "none"] {
                #expect(try await alice.call(.patch, path, #"{"picture":"\#(wrong)"}"#).status == 404)
            }
            #expect(try await alice.call(.patch, path, #"{"picture":"a b"}"#).status == 400)
            let set = try await alice.call(.patch, path, #"{"picture":"\#(files[0])"}"#)
            #expect(set.status == 200 && set.object["picture"] as? String == files[0])
            let file = "/v1/attachments/\(files[0])"
            #expect(try await bob.get(file).body == AttachmentTests.png)
            #expect(try await alice.call(.delete, file).status == 409)
            #expect(try await alice.call(.patch, path, #"{"visibility":"private"}"#).status == 200)
            #expect(try await bob.get(file).status == 404)
            #expect(try await alice.call(.post, path + "/members", #"{"user":"bob"}"#).status == 201)
            #expect(try await bob.get(file).body == AttachmentTests.png)
            let listed = try await bob.get("/v1/threads").object["threads"] as? [[String: Any]]
            #expect(listed?.first?["picture"] as? String == files[0])
            #expect(try await bob.call(.patch, path, #"{"picture":null}"#).status == 403)
            #expect(try await alice.call(.patch, path, #"{"picture":"\#(files[1])"}"#).status == 200)
            #expect(try await bob.get(file).status == 404)
            let removed = try await alice.call(.patch, path, #"{"picture":null}"#)
            #expect(removed.status == 200 && removed.object["picture"] == nil)
            #expect(try await alice.call(.delete, "/v1/attachments/\(files[1])").status == 204)
        }
    }

    @Test("a block is listed for its maker, and ends messages in the direct thread for both with one text")
    func blocks() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let made = try await alice.call(.post, "/v1/direct", #"{"user":"bob"}"#)
            let path = "/v1/threads/\(made.object["id"] as? String ?? "")"
            #expect(try await alice.call(.put, "/v1/me/blocks/bob", "{}").status == 200)
            #expect(try await alice.call(.put, "/v1/me/blocks/alice", "{}").status == 400)
            #expect(try await alice.call(.put, "/v1/me/blocks/nobody", "{}").status == 404)
            let mine = try await alice.get("/v1/me/blocks").object["blocks"] as? [[String: Any]]
            #expect((mine?.first?["user"] as? [String: String])?["username"] == "bob" && mine?.count == 1)
            #expect((try await bob.get("/v1/me/blocks").object["blocks"] as? [Any])?.isEmpty == true)
            var texts: Set<String> = []
            for user in [alice, bob] {
                #expect(try await user.get(path).object["blocked"] as? Bool == true)
                let refused = try await user.call(.post, path + "/messages", #"{"text":"hi"}"#)
                #expect(refused.status == 403)
                texts.insert(refused.text)
            }
            #expect(texts.count == 1)
            #expect(try await alice.call(.delete, "/v1/me/blocks/bob").status == 204)
            #expect(try await bob.call(.post, path + "/messages", #"{"text":"hi"}"#).status == 201)
        }
    }
}
