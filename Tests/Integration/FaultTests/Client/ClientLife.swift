import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

/// Somebody who writes in a room of their own while the cluster breaks, and whose `parley chat` is killed now and then.
struct ClientLife: Sendable {
    private let seed: UInt64
    private let room: String
    private let cluster: Cluster
    private let process: ChatProcess
    private let sender: String
    private var random: SeededGenerator
    private var count = 0
    /// Texts that the client has shown: it has promised to send them, in this order.
    private var promised: [String] = []
    /// Texts that it was killed before it had shown: they may be lost or kept.
    private var unsure: Set<String> = []

    init(seed: UInt64, cluster: Cluster, port: Int) async throws {
        self.seed = seed
        self.cluster = cluster
        random = SeededGenerator(seed)
        sender = "alice\(seed)"
        let user = try await TestUser.signUp(sender, port: cluster.persisters[0].port)
        room = try await user.join("Room \(seed)")
        process = try ChatProcess(user: user, room: "Room \(seed)", port: port)
        try await process.start()
        try await write(isSure: true)
    }

    mutating func run() async throws {
        for _ in 0..<20 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<6: try await write(isSure: true)
            case 6, 7:
                try await write(isSure: false)
                try await restart()
            case 8: try await restart()
            case 9: edit()
            case 10: await post()
            default: try await Task.sleep(for: .milliseconds(Int.random(in: 1...400, using: &random)))
            }
        }
    }

    /// Writes the next text, and waits until the client has shown it, which it does when it is kept.
    private mutating func write(isSure: Bool) async throws {
        count += 1
        let text = "\(count)"
        process.write(text)
        guard isSure else {
            unsure.insert(text)
            return
        }
        let isShown = try await eventually(within: .seconds(60)) {
            process.lines().contains { $0.text == text && $0.sender == sender }
        }
        try #require(isShown, "seed \(seed): \(text) is not shown; \(process.report)")
        promised.append(text)
    }

    private func restart() async throws {
        try await process.kill()
        try await process.start()
    }

    /// Changes one of the client's own messages that was accepted.
    private mutating func edit() {
        let own = process.shown().filter { $0.sender == sender && $0.seq != nil }
        guard let message = own.randomElement(using: &random), let seq = message.seq else { return }
        process.write("/edit \(seq) \(message.text)!")
    }

    /// A back end writes to the room, if it can.
    private func post() async {
        _ = try? await cluster.rest().send(
            "POST", "/v1/threads/\(room)/messages",
            headers: [("Content-Type", "application/json"), ("X-Parley-User", sender)],
            body: Array(#"{"text":"post"}"#.utf8))
    }

    // MARK: The end

    /// When everything is mended: all that was promised is stored once and in order, and what is shown is the history.
    func check() async throws {
        var history: [String] = []
        var isEqual = try await eventually(within: .seconds(90)) {
            let page = try? await cluster.rest(as: sender).get("/v1/threads/\(room)/messages?limit=200").json()
            guard let messages = page?["messages"]?.array else { return false }
            history = messages.compactMap { $0["text"]?.string }
            let shown = process.shown()
            return shown.allSatisfy { $0.state == "stored" } && shown.map(\.text) == history
        }
        if !isEqual {
            Issue.record("seed \(seed): shown \(process.report)\nstored \(history)\n\(cluster.logs())")
        }
        let own = history.map { $0.replacing("!", with: "") }.filter { $0 != "post" }
        #expect(own.filter { !unsure.contains($0) } == promised, "seed \(seed)")
        #expect(Set(own).count == own.count, "seed \(seed): \(own)")
        try await process.kill()
        // A client that is started again shows only what it has kept: the same.
        try await process.start()
        isEqual = try await eventually(within: .seconds(60)) { process.shown().map(\.text) == history }
        #expect(isEqual, "seed \(seed): after a restart \(process.report)\nstored \(history)")
        try await process.kill()
    }
}
