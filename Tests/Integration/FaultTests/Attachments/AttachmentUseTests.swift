import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("Members can read a file exactly as long as an accepted message refers to it", .timeLimit(.minutes(4)))
struct AttachmentUseTests {
    /// A cluster with the room `tea` of ann and bob, and a file of ann's.
    private struct Fixture {
        let cluster: Cluster
        let files: TemporaryDirectory
        let file: String
        let ann: V1Client

        static func start() async throws -> Fixture {
            let files = try TemporaryDirectory()
            let cluster = try await Cluster.start(
                gateways: 1, persisters: 1, hasLines: true,
                environment: FaultRun.unlimited.merging(["PARLEY_ATTACHMENTS_FOLDER": files.path + "/files"]) { $1 })
            let people = [
                #"{"user":{"id":"ann","username":"ann"}}"#, #"{"user":{"id":"bob","username":"bob"}}"#,
                #"{"thread":{"id":"tea","title":"Tea"}}"#, #"{"member":{"thread":"tea","user":"bob","role":"owner"}}"#,
                #"{"member":{"thread":"tea","user":"ann"}}"#,
            ]
            let imported = try await cluster.rest().send(
                "POST", "/v1/admin/import", headers: [("Content-Type", "application/x-ndjson")],
                body: Array(people.joined(separator: "\n").utf8))
            #expect(imported.status == 200)
            let reply = try await cluster.rest(as: "ann").send(
                "POST", "/v1/attachments?name=a", body: Array("file".utf8))
            let file = try #require(try reply.json()["id"]?.string, "\(reply)")
            let ann = try await V1Client.connect("ann", port: cluster.gateways[0].port)
            return Fixture(cluster: cluster, files: files, file: file, ann: ann)
        }

        /// A send of the file.
        var command: String { #""message":{"id":"tea","parts":[{"attachment":"\#(file)"}]}"# }

        func uses() async throws -> String? {
            try await cluster.rows("SELECT count(*) FROM attachment_uses").first
        }

        /// What bob gets.
        func download() async throws -> Int {
            try await cluster.rest(as: "bob").get("/v1/attachments/\(file)").status
        }

        /// What ann gets who removes it.
        func discard() async throws -> Int {
            try await cluster.rest(as: "ann").send("DELETE", "/v1/attachments/\(file)").status
        }
    }

    @Test(
        "a send that Redis never gets, or gets much later, shows nothing, and is decided within a minute",
        arguments: [false, true])
    func cutInTheMiddle(isDelivered: Bool) async throws {
        let fixture = try await Fixture.start()
        let (cluster, line) = (fixture.cluster, fixture.cluster.gatewayLines[0].redis)
        let first = try await fixture.ann.ask(fixture.command).response
        let message = try #require(first["id"]?.string, "\(first)")
        #expect(try await fixture.download() == 200)
        line.become(.frozen)
        try await fixture.ann.socket.send(text: "{\(fixture.command)}")
        #expect(try await eventually { try await fixture.uses() == "2" })
        if !isDelivered { line.become(.cut) }
        // By a moderator; the file is not kept by what its owner has planted.
        let deleted = try await cluster.rest(as: "bob").send("DELETE", "/v1/threads/tea/messages/\(message)")
        #expect(deleted.status == 204, "\(deleted)")
        #expect(try await eventually { try await fixture.download() == 404 })
        let began = ContinuousClock.now
        let isDecided = try await eventually(within: .seconds(60) + .leeway) { try await fixture.uses() == "0" }
        let left = try await cluster.rows("SELECT message_id, created_ms, check_ms FROM attachment_uses")
        #expect(isDecided, "\(left)")
        #expect(ContinuousClock.now - began < .seconds(60) + .leeway)
        #expect(try await fixture.discard() == 204)
        // What was on its way is delivered now, and refused: nothing refers to a file that is gone.
        line.become(.normal)
        #expect(
            try await eventually { try await cluster.gateways[0].http.get("/readyz/sockets").status == 200 })
        let bob = try await V1Client.connect("bob", port: cluster.gateways[0].port)
        var seq: Int?
        #expect(
            try await eventually {
                seq = try await bob.ask(#""message":{"id":"tea","text":"after","client_id":"c1"}"#).response["seq"]?.int
                return seq != nil
            })
        #expect(seq == 3)
        try await cluster.waitUntilStored("tea", seq: 3)
        #expect(try await cluster.rows("SELECT count(*) FROM messages WHERE thread_id = 'tea'") == ["2"])
        #expect(try await eventually { try await cluster.rows("SELECT count(*) FROM attachments") == ["0"] })
        try await cluster.stop()
    }

    @Test("a socket that closes right behind its send leaves no use behind")
    func closedBehind() async throws {
        let fixture = try await Fixture.start()
        let cluster = fixture.cluster
        // Only the gateway itself can end the use.
        try await cluster.persisters[0].kill()
        let due = "SELECT due_ms FROM attachments"
        let before = try await cluster.rows(due)
        cluster.gatewayLines[0].postgres.become(.frozen)
        try await fixture.ann.socket.send(text: "{\(fixture.command)}")
        try await fixture.ann.socket.close()
        #expect(try await fixture.ann.socket.closeCode() == 1000)
        cluster.gatewayLines[0].postgres.become(.normal)
        // The use was recorded, and has ended: the file may be sent again for an hour.
        #expect(
            try await eventually {
                guard try await fixture.uses() == "0" else { return false }
                let now = try await cluster.rows(due)
                return now != before && now.first?.isEmpty == false
            })
        try await cluster.stop()
    }
}
