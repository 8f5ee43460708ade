import ParleyTestServers
import ParleyTestSupport
import Testing

/// What a client shows of a thread: the sum of the events that it was sent.
private struct ShownThread {
    private struct Shown {
        var text: String
        var reactions: Set<String> = []
    }

    private var messages: [String: Shown] = [:]
    private var order: [String] = []
    /// The last seq that was shown.
    private(set) var seq = 0
    private(set) var epoch = ""

    /// - Returns: whether the frame was an event of the log.
    mutating func apply(_ frame: JSONValue) -> Bool {
        guard let next = frame["seq"]?.int, let type = frame["type"]?.string, type != "ack" else { return false }
        #expect(next == seq + 1, "each event once, in order")
        seq = next
        epoch = frame["epoch"]?.string ?? ""
        let id = frame["message_id"]?.string ?? frame["id"]?.string ?? ""
        switch type {
        case "message":
            messages[id] = Shown(text: frame["text"]?.string ?? "")
            order.append(id)
        case "edited": messages[id]?.text = frame["text"]?.string ?? ""
        case "deleted": messages[id] = Shown(text: "(deleted)")
        case "reaction":
            let tag = "\(frame["user_id"]?.string ?? "") \(frame["emoji"]?.string ?? "")"
            if frame["on"]?.bool == true {
                messages[id]?.reactions.insert(tag)
            } else {
                messages[id]?.reactions.remove(tag)
            }
        default: break
        }
        return true
    }

    /// A replay from the store has no text of what was deleted since.
    var bytes: String {
        order.map { id in
            let shown = messages[id]
            return "\(id) \(shown?.text ?? "") \(shown?.reactions.sorted() ?? [])"
        }.joined(separator: "\n")
    }
}

/// A user's device with a v1 socket.
private struct Device {
    let socket: TestSocket
    var thread = ShownThread()

    static func connect(_ user: String, port: Int) async throws -> Device {
        let socket = try await TestSocket.connect(
            port: port,
            headers: [("Authorization", "Bearer \(Cluster.apiKey)"), ("X-Parley-User", user)],
            subprotocols: ["parley.v1"])
        #expect(try await socket.nextJSON()["type"]?.string == "hello")
        return Device(socket: socket)
    }

    /// Goes on behind what another connection of this device has shown.
    mutating func resume(_ room: String, behind thread: ShownThread) async throws {
        self.thread = thread
        try await socket.send(
            text: #"{"ref":1,"resume":{"threads":{"\#(room)":{"epoch":"\#(thread.epoch)","seq":\#(thread.seq)}}}}"#)
    }

    /// Takes in events until this seq is shown.
    mutating func show(through seq: Int) async throws {
        while thread.seq < seq { _ = thread.apply(try await socket.nextJSON()) }
    }

    /// Sends a command and takes in everything until it is answered.
    mutating func ask(_ command: String, ref: Int) async throws -> JSONValue {
        try await socket.send(text: #"{"ref":\#(ref),\#(command)}"#)
        while true {
            let frame = try await socket.nextJSON()
            if frame["ref"]?.int == ref { return frame }
            _ = thread.apply(frame)
        }
    }
}

@Suite("Who comes back shows what those who stayed show", .timeLimit(.minutes(3)))
struct ResumeTests {
    @Test("two devices that were away during edits, deletions and reactions, one shortly and one for long")
    func devices() async throws {
        let cluster = try await Cluster.start(gateways: 2, persisters: 1, environment: FaultRun.unlimited)
        let room = "garden"
        let lines = [
            #"{"user":{"id":"ann","username":"ann"}}"#, #"{"user":{"id":"bob","username":"bob"}}"#,
            #"{"thread":{"id":"\#(room)","title":"Garden"}}"#,
            #"{"member":{"thread":"\#(room)","user":"ann","role":"owner"}}"#,
            #"{"member":{"thread":"\#(room)","user":"bob"}}"#,
        ]
        let imported = try await cluster.rest().send(
            "POST", "/v1/admin/import", headers: [("Content-Type", "application/x-ndjson")],
            body: Array(lines.joined(separator: "\n").utf8))
        #expect(imported.status == 200)
        let endpoints = cluster.gateways.map(\.port)
        var stays = try await Device.connect("ann", port: endpoints[0])
        var author = try await Device.connect("bob", port: endpoints[1])
        _ = try await stays.ask(#""ping":0"#, ref: 1)
        var random = SeededGenerator(11)
        var ids: [String] = []
        var ref = 1
        // A part of what two people do to a thread; answers with the thread's last seq.
        func chat(_ count: Int) async throws -> Int {
            var last = author.thread.seq
            for _ in 0..<count {
                ref += 1
                let id = ids.randomElement(using: &random)
                let command =
                    switch (Int.random(in: 0..<10, using: &random), id) {
                    case (6, let id?): #""edit":{"id":"\#(room)","message_id":"\#(id)","text":"edited \#(ref)"}"#
                    case (7, let id?): #""delete":{"id":"\#(room)","message_id":"\#(id)"}"#
                    case (8, let id?): #""react":{"id":"\#(room)","message_id":"\#(id)","emoji":"👍","on":true}"#
                    case (9, let id?): #""react":{"id":"\#(room)","message_id":"\#(id)","emoji":"👍","on":false}"#
                    default: #""message":{"id":"\#(room)","text":"text \#(ref)"}"#
                    }
                var response = try await author.ask(command, ref: ref)
                // On a fast machine the thread gets more events between two batches of the persister than the log keeps.
                while response["code"]?.string == "unavailable" {
                    ref += 1
                    response = try await author.ask(command, ref: ref)
                }
                if let id = response["id"]?.string { ids.append(id) }
                // What was deleted can neither be edited nor reacted to.
                if response["type"]?.string == "error" { #expect(response["code"]?.string == "not_found") }
                last = max(last, response["seq"]?.int ?? 0)
            }
            return last
        }
        let first = try await chat(20)
        try await stays.show(through: first)
        let early = stays.thread
        let second = try await chat(600)
        try await stays.show(through: second)
        let late = stays.thread
        let third = try await chat(60)
        try await stays.show(through: third)
        try await cluster.waitUntilStored(room, seq: third)

        var away: [String] = []
        for seen in [early, late, ShownThread()] {
            for endpoint in endpoints {
                var device = try await Device.connect("ann", port: endpoint)
                try await device.resume(room, behind: seen)
                try await device.show(through: third)
                away.append(device.thread.bytes)
                try await device.socket.close()
            }
        }
        let shown = stays.thread.bytes
        #expect(shown.contains("edited") && shown.contains("(deleted)") && shown.contains("👍"))
        for bytes in away { #expect(bytes == shown) }
        try await cluster.stop()
    }
}
