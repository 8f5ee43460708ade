import ParleyTestServers
import ParleyTestSupport
import Testing

/// A live `watch` ends with the last shared thread, on every node and after every cut.
@Suite("Presence of those with whom no thread is shared any more", .timeLimit(.minutes(5)))
struct WatchedPresenceTests {
    /// How long a user may be reported after the last shared thread has ended, with and without a cut.
    private static let (limit, limitAfterCut) = (Duration.seconds(1), Duration.seconds(10))
    /// What this machine and the request itself may add.
    private static let leeway = Duration.seconds(2)

    /// Ann watches bob from another node than his; the owner shares a room with both, and cat another one with bob.
    private struct Fixture {
        let cluster: Cluster
        let owner: TestUser
        let ann: TestUser
        let bob: TestUser
        let cat: TestUser
        let room: String
        let ofAnn: TestSocket
        let ofCat: TestSocket
        var ofBob: TestSocket

        init(_ cluster: Cluster) async throws {
            self.cluster = cluster
            let port = cluster.persisters[1].port
            owner = try await TestUser.signUp("owner", port: port)
            ann = try await TestUser.signUp("ann", port: port)
            bob = try await TestUser.signUp("bob", port: port)
            cat = try await TestUser.signUp("cat", port: port)
            room = try await owner.join("Tea")
            for user in [ann, bob] { _ = try await user.join("Tea") }
            for user in [cat, bob] { _ = try await user.join("Milk") }
            ofBob = try await Self.open(cluster.gateways[1], bob)
            ofAnn = try await Self.open(cluster.gateways[0], ann)
            ofCat = try await Self.open(cluster.gateways[0], cat)
            for socket in [ofAnn, ofCat] {
                try await socket.send(text: #"{"ref":1,"watch":{"users":["\#(bob.id)"]}}"#)
                _ = try await socket.nextJSON { Self.isPresence($0, online: true) }
            }
        }

        static func open(_ gateway: ParleyProcess, _ user: TestUser) async throws -> TestSocket {
            let socket = try await TestSocket.connect(
                port: gateway.port, headers: user.cookieHeader, subprotocols: ["parley.v1"])
            _ = try await socket.nextJSON { $0["type"]?.string == "hello" }
            return socket
        }

        /// Bob's device goes and comes back; cat is told of both.
        mutating func reconnectBob() async throws {
            await ofBob.drop()
            _ = try await ofCat.nextJSON(within: .seconds(20)) { Self.isPresence($0, online: false) }
            ofBob = try await Self.open(cluster.gateways[1], bob)
            _ = try await ofCat.nextJSON(within: .seconds(20)) { Self.isPresence($0, online: true) }
        }

        static func isPresence(_ frame: JSONValue, online: Bool? = nil) -> Bool {
            frame["type"]?.string == "presence" && (online == nil || frame["online"]?.bool == online)
        }

        /// The presence that ann has been told up to now.
        func told(_ ref: Int) async throws -> [JSONValue] {
            try await ofAnn.send(text: #"{"ref":\#(ref),"ping":1}"#)
            var told: [JSONValue] = []
            while true {
                let frame = try await ofAnn.nextJSON(within: .seconds(20))
                if Self.isPresence(frame) { told.append(frame) }
                if frame["ref"]?.int == ref { return told }
            }
        }

        func delete(_ path: String, by user: TestUser) async throws {
            #expect(try await user.http.send("DELETE", path).status == 204)
        }
    }

    /// Makes a change after which ann may not see bob any more, and expects one last report and then none.
    private func end(
        _ what: String, _ fixture: inout Fixture, within limit: Duration, since healed: (() -> Void)? = nil,
        _ change: (Fixture) async throws -> Void
    ) async throws {
        var began = ContinuousClock.now
        try await change(fixture)
        if let healed {
            healed()
            began = .now
        }
        let last = try await fixture.ofAnn.nextJSON(within: .seconds(20)) { Fixture.isPresence($0) }
        print("\(what): told after \(ContinuousClock.now - began)")
        #expect(ContinuousClock.now - began < limit + Self.leeway, "\(what)")
        #expect(last["online"]?.bool == false, "\(what)")
        #expect(last["last_seen"]?.int == nil, "\(what)")
        try await fixture.reconnectBob()
        #expect(try await fixture.told(3).isEmpty, "\(what)")
    }

    /// They share a thread again.
    private func begin(_ fixture: Fixture, _ change: (Fixture) async throws -> Int) async throws {
        #expect([200, 201].contains(try await change(fixture)))
        _ = try await fixture.ofAnn.nextJSON(within: .seconds(20)) { Fixture.isPresence($0, online: true) }
    }

    @Test("whoever leaves or is removed, a deleted room and an erasure end it; sharing a thread again begins it anew")
    func ends() async throws {
        let cluster = try await Cluster.start(gateways: 2, persisters: 2, hasLines: true)
        var fixture = try await Fixture(cluster)
        let members = "/v1/threads/\(fixture.room)/members"
        try await end("the watched user leaves", &fixture, within: Self.limit) {
            try await $0.delete("\(members)/\($0.bob.id)", by: $0.bob)
        }
        try await begin(fixture) { try await $0.bob.http.post(members, form: ["user": $0.bob.id]).status }
        try await end("the watched user is removed", &fixture, within: Self.limit) {
            try await $0.delete("\(members)/\($0.bob.id)", by: $0.owner)
        }
        #expect(try await fixture.bob.http.post(members, form: ["user": fixture.bob.id]).errorCode == "forbidden")
        try await begin(fixture) { try await $0.owner.http.post(members, form: ["user": $0.bob.id]).status }
        try await end("the watching user leaves", &fixture, within: Self.limit) {
            try await $0.delete("\(members)/\($0.ann.id)", by: $0.ann)
        }
        try await begin(fixture) { try await $0.ann.http.post(members, form: ["user": $0.ann.id]).status }
        try await end("the room is deleted", &fixture, within: Self.limit) {
            try await $0.delete("/v1/threads/\($0.room)", by: $0.owner)
        }
        // A direct thread is enough, and an erasure ends it too.
        try await begin(fixture) { try await $0.bob.http.post("/v1/direct", form: ["user": $0.ann.id]).status }
        #expect(try await fixture.bob.http.send("DELETE", "/v1/me").status == 204)
        _ = try await fixture.ofAnn.nextJSON(within: .seconds(20)) { Fixture.isPresence($0, online: false) }
        try await cluster.stop()
    }

    @Test("a change that a cut hides from the watching node, or the events of a node that is cut, end it within 10 s")
    func cuts() async throws {
        let cluster = try await Cluster.start(gateways: 2, persisters: 2, hasLines: true)
        var fixture = try await Fixture(cluster)
        let members = "/v1/threads/\(fixture.room)/members"
        let watching = cluster.gatewayLines[0].redis
        watching.become(.cut)
        try await end("hidden by a cut", &fixture, within: Self.limitAfterCut, since: { watching.become(.normal) }) {
            try await $0.delete("\(members)/\($0.bob.id)", by: $0.owner)
        }
        try await begin(fixture) { try await $0.owner.http.post(members, form: ["user": $0.bob.id]).status }
        let changing = cluster.persisterLines[1].redis
        changing.become(.cut)
        try await end("by a node that is cut", &fixture, within: Self.limitAfterCut) {
            try await $0.delete("\(members)/\($0.bob.id)", by: $0.owner)
        }
        changing.become(.normal)
        try await cluster.stop()
    }
}
