import Foundation
import ParleyClient
import ParleyConformance
import ParleyJSON
import ParleyModel
import ParleyTestSupport
import Testing

/// Random lives of a client on a server that cuts, leaves out, forgets and repeats; by seed, in no time.
///
/// `PARLEY_SOAK_SEEDS=20000` runs that many seeds.
@Suite struct SimulationTests {
    /// A client and a server with queues between them.
    private struct World {
        var client = MachineHarness()
        var server = SimulatedServer()
        var random: SeededGenerator
        /// The texts that the user has sent, in order.
        var texts: [String] = []
        /// The ids of messages with a file.
        var withFiles: Set<String> = []
        /// Requests of uploads that are on their way.
        private var uploads: [UploadStep] = []
        private var lives = 0

        init(seed: UInt64) {
            random = SeededGenerator(seed)
            client = MachineHarness(limits: .init(catchUp: 40, historyPage: 5), seed: seed)
            handle(.start)
        }

        mutating func handle(_ event: MachineEvent) {
            client.commands = []
            client.handle(event)
            for action in client.actions {
                switch action {
                case .connect:
                    server.cut()
                    server.connect()
                    client.core.connection.opened(at: client.uptime)
                case .disconnect: server.cut()
                case .transmit(let text): server.toServer.append(text)
                case .upload(let step): uploads.append(step)
                default: break
                }
            }
        }

        mutating func step() {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<25: deliver(Int.random(in: 1...4, using: &random))
            case 25..<45: server.step()
            case 45..<57: send()
            case 57..<67: server.post("b")
            case 67..<75: change()
            case 75..<81: otherChange()
            case 81..<86: server.store()
            case 86: server.loseLog()
            case 87: server.forgetFiles()
            case 88..<92: cut()
            case 92..<94: die()
            case 94: for _ in 0..<30 { server.post("burst") }
            case 95, 96: upload(isFaulty: true)
            default: pass(.milliseconds(Int64.random(in: 1...3_000, using: &random)))
            }
        }

        /// A request of an upload arrives, and maybe its answer.
        mutating func upload(isFaulty: Bool) {
            guard !uploads.isEmpty else { return }
            let step = uploads.remove(at: Int.random(in: uploads.indices, using: &random))
            guard isFaulty else { return handle(.answered(step, server.upload(step))) }
            switch Int.random(in: 0..<6, using: &random) {
            case 0: handle(.answered(step, .noAnswer))
            case 1:
                let refusal = UploadAnswer.refused(code: .unavailable, message: "", retryAfter: nil)
                handle(.answered(step, refusal))
            case 2: handle(.answered(step, .busy))
            case 3:
                _ = server.upload(step, half: true)
                handle(.answered(step, .noAnswer))
            default: handle(.answered(step, server.upload(step)))
            }
        }

        mutating func deliver(_ count: Int) {
            let frames = server.toClient.prefix(count)
            guard !frames.isEmpty else { return }
            server.toClient.removeFirst(frames.count)
            handle(.frames(frames.map { ServerFrame(Array($0.utf8)) }))
        }

        private mutating func send() {
            guard client.core.threads["t"] != nil else { return }
            texts.append("\(texts.count)")
            let id = "c\(texts.count)"
            let hasFile = Int.random(in: 0..<6, using: &random) == 0
            if hasFile { withFiles.insert(id) }
            let file = OutboxFile(name: "a", mediaType: "image/png", size: 600_000)
            handle(.send(ChatDraft(texts.last ?? ""), thread: "t", id: id, files: hasFile ? [file] : []))
        }

        /// The user changes a message that is on the device.
        private mutating func change() {
            let own = client.storage.messages(in: "t", from: 0, to: 1_000_000, limit: 100, newest: true)
                .filter { $0.senderID == "a" && !$0.isDeleted }
            guard let message = own.randomElement(using: &random) else { return }
            let target = ClientOutboxEntry.Target(
                seq: message.seq, messageID: message.id, localID: message.clientID ?? message.id)
            let id = "x\(UInt32.random(in: 0...UInt32.max, using: &random))"
            switch Int.random(in: 0..<4, using: &random) {
            case 0: handle(.change(.edit(target, text: "edited"), thread: "t", id: id))
            case 1: handle(.change(.reaction(target, emoji: "A", isOn: true), thread: "t", id: id))
            case 2: handle(.change(.reaction(target, emoji: "A", isOn: false), thread: "t", id: id))
            default: handle(.change(.deletion(target), thread: "t", id: id))
            }
        }

        private mutating func otherChange() {
            guard let seq = server.room.messages.filter({ !$0.value.isDeleted }).map(\.key).max() else { return }
            let isOn = Bool.random(using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: server.change(seq, .edit)
            case 1: server.change(seq, .delete)
            default: server.change(seq, .react(isOn: isOn))
            }
        }

        mutating func cut() {
            guard server.isConnected else { return }
            server.cut()
            handle(.closed(code: nil))
        }

        /// The process dies: what is stored is all that is left.
        private mutating func die() {
            server.cut()
            // Some of its requests arrive nevertheless.
            for step in uploads where Bool.random(using: &random) { _ = server.upload(step) }
            uploads = []
            let storage = client.storage
            let stored = storage.load()
            var next = MachineHarness(limits: client.core.limits, seed: random.next(), storage: storage)
            next.uptime = client.uptime
            next.core.restore(stored)
            client = next
            handle(.start)
        }

        mutating func pass(_ duration: Duration) {
            client.uptime += duration
            handle(.tick)
        }

        /// What the server has neither confirmed nor refused.
        var unconfirmed: [ClientOutboxEntry] { client.core.outbox.entries.values.filter { $0.failure == nil } }

        /// Everything gets through.
        mutating func settle() {
            for _ in 0..<400 {
                if !server.isConnected { pass(.seconds(61)) }
                server.step()
                server.store()
                if uploads.isEmpty { pass(.seconds(1)) }
                upload(isFaulty: false)
                deliver(50)
                if server.toServer.isEmpty, server.toClient.isEmpty, unconfirmed.isEmpty, server.isConnected,
                    client.core.threads["t"]?.seq == Int(server.room.head)
                {
                    return
                }
            }
        }
    }

    private static var seeds: ClosedRange<UInt64> {
        1...(ProcessInfo.processInfo.environment["PARLEY_SOAK_SEEDS"].flatMap { UInt64($0) } ?? 400)
    }

    @Test("whatever happens, the cache equals the history, and each send is there once and in order")
    func lives() {
        for seed in Self.seeds {
            var world = World(seed: seed)
            for _ in 0..<150 { world.step() }
            world.settle()
            guard check(world, seed) else { return }
        }
    }

    /// - Returns: Whether all is as it should be.
    private func check(_ world: World, _ seed: UInt64) -> Bool {
        let (client, server) = (world.client, world.server)
        var failures: [String] = []
        if !world.unconfirmed.isEmpty {
            failures.append("unconfirmed: \(world.unconfirmed.map(\.id)) while \(client.core.connection.phase)")
        }
        if client.core.threads["t"]?.seq != Int(server.room.head) { failures.append("the position is not the end") }
        let history = server.room.messages.sorted { $0.key < $1.key }
        let sent = history.compactMap(\.value.clientID)
        let wanted = world.texts.indices.map { "c\($0 + 1)" }
        // What is on its way when the log is lost comes before what has to be sent again.
        if server.hasLostLog ? Set(sent) != Set(wanted) || sent.count != wanted.count : sent != wanted {
            failures.append("history has \(sent), sent were \(wanted)")
        }
        let files = Set(history.filter { server.attachments[$0.key] != nil }.compactMap(\.value.clientID))
        if files != world.withFiles { failures.append("files are in \(files), were sent in \(world.withFiles)") }
        if let range = client.storage.range(in: "t", containing: Int(server.room.head)) {
            let cached = client.storage.messages(
                in: "t", from: range.lowerBound, to: range.upperBound, limit: 1_000_000, newest: false)
            let expected = history.filter { range.contains(Int($0.key)) }
            if cached.map(\.seq) != expected.map({ Int($0.key) }) { failures.append("the cache has other messages") }
            for (one, (_, other)) in zip(cached, expected) {
                let reactions = Dictionary(
                    uniqueKeysWithValues: one.reactions.map { ($0.emoji, Set($0.users.map(\.rawValue))) })
                let wanted = Dictionary(
                    uniqueKeysWithValues: other.status.reactions.map { ($0.emoji, Set($0.users.map(\.text))) })
                if one.text != other.text || one.isDeleted != other.isDeleted || reactions != wanted {
                    failures.append("\(one) is not \(other)")
                }
            }
        }
        #expect(failures.isEmpty, "seed \(seed): \(failures.prefix(3))")
        return failures.isEmpty
    }
}
