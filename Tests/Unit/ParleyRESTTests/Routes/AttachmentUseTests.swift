import HTTPTypes
import ParleyModel
import ParleyPersister
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("Uses of attachments over REST")
struct AttachmentUseTests {
    @Test("a send that never reached the log shows a file to nobody, and its owner can remove it some seconds later")
    func planted() async throws {
        try await RESTFixture.run { fixture in
            let (ann, bob) = (try await fixture.sessionUser("ann"), try await fixture.sessionUser("bob"))
            let room = try await ann.join("Room")
            _ = try await bob.join("Room")
            let file = try await ann.upload(AttachmentTests.png, name: "a.png", type: "image/png").object
            let (id, path) = (try #require(file["id"] as? String), try #require(file["url"] as? String))
            let send = { try await ann.send(parts: #"[{"attachment":"\#(id)"}]"#, in: room) }
            let message = try #require(try await send().object["id"] as? String)
            fixture.log.isAway = true
            #expect(try await send().status == 503)
            fixture.log.isAway = false
            #expect(try await bob.get(path).body == AttachmentTests.png)
            #expect(try await ann.call(.delete, "/v1/threads/\(room)/messages/\(message)").status == 204)
            // Before and after the deletion is stored.
            #expect(try await bob.get(path).status == 404)
            try await fixture.persist()
            #expect(try await bob.get(path).status == 404)
            // Whether the second send was accepted is decided when it is old enough.
            _ = await fixture.sweeper.sweep()
            #expect(try await ann.call(.delete, path).status == 409)
            fixture.clock.advance(milliseconds: AttachmentUse.checkMilliseconds)
            _ = await fixture.sweeper.sweep()
            #expect(try await ann.call(.delete, path).status == 204)
            _ = await fixture.sweeper.sweep()
            #expect(fixture.files.isEmpty)
        }
    }
}
