import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// `parley serve` whose files cannot grow: the limit of the process on the size of its files stands for a full disk,
    /// since it fails the same writes and needs no disk of its own.
    @Suite("A full disk")
    struct FullDiskTests {
        /// Sets the soft limit on the size of the files of a running process; `nil` for none.
        private func limit(_ process: ParleyProcess, toBytes bytes: Int?) async throws {
            let pid = try #require(process.pid)
            let child = try await ChildProcess.start(
                "prlimit", ["--pid", "\(pid)", "--fsize=\(bytes.map(String.init) ?? "unlimited"):"],
                environment: ParleyBinary.environment([:]), in: process.directory.path,
                output: process.directory.path + "/prlimit.log")
            #expect(try await child.exit(within: .patience) == .exited(0))
        }

        private func isReady(_ process: ParleyProcess) async throws -> Bool {
            try await process.http.get("/readyz").status == 200
        }

        private func writable(_ process: ParleyProcess) async throws -> Double {
            try #require(try await process.metrics().sum("parley_sqlite_writable"))
        }

        /// - Parameter growsFirst: whether the database file is larger than the limit, so that nothing can be moved
        ///   there from the WAL; otherwise only the WAL cannot grow.
        @Test("sends are refused soon, it is told everywhere, and it goes on by itself", arguments: [true, false])
        func sends(growsFirst: Bool) async throws {
            let process = try await ParleyProcess.start(
                environment: ["PARLEY_LIMITS_SENDS_PER_SECOND": "0", "PARLEY_LOG_LEVEL": "info"])
            let alice = try await TestUser.signUp("alice", port: process.port)
            let thread = try #require(
                try await alice.http.post("/v1/threads", json: ["title": "Garden"]).json()["id"]?.string)
            let socket = try await alice.socket(subprotocols: ["parley.v1"])
            _ = try await socket.nextJSON { $0["type"]?.string == "hello" }
            let text = String(repeating: "x", count: 4000)
            func send() async throws -> Int {
                let reply = try await alice.http.send(
                    "POST", "/v1/threads/\(thread)/messages", headers: [("Content-Type", "application/json")],
                    body: Array("{\"text\":\"\(text)\"}".utf8), within: .seconds(5) + .leeway)
                if reply.status == 503 { #expect(reply.header("Retry-After") != nil) }
                return reply.status
            }
            #expect(try await isReady(process))
            #expect(try await writable(process) == 1)
            if growsFirst {
                for _ in 0..<100 { #expect(try await send() == 201) }
            }
            for round in 1...2 {
                try await limit(process, toBytes: growsFirst ? 200_000 : 1_000_000)
                // What still fits into the WAL is stored.
                var isFull = false
                for _ in 0..<300 where !isFull { isFull = try await send() == 503 }
                #expect(isFull)
                try await socket.send(text: #"{"message":{"id":"\#(thread)","text":"hi"},"ref":\#(round)}"#)
                let answer = try await socket.nextJSON(within: .seconds(5) + .leeway) { $0["ref"]?.int == round }
                #expect(answer["code"]?.string == "unavailable" || answer["type"]?.string == "ack", "\(answer)")
                #expect(try await eventually { try await !isReady(process) })
                #expect(try await writable(process) == 0)
                // Others go on.
                #expect(try await alice.http.get("/v1/threads/\(thread)/messages").status == 200)
                try await limit(process, toBytes: nil)
                #expect(try await eventually { try await isReady(process) })
                #expect(try await writable(process) == 1)
                #expect(try await send() == 201)
                let lines = process.logText().split(separator: "\n")
                #expect(lines.count { $0.contains("database cannot be written") } >= round)
                #expect(lines.count { $0.contains("database can be written again") } >= round)
            }
            // What was refused is nowhere, and what was accepted is there once.
            let seqs =
                try await alice.http.get("/v1/threads/\(thread)/events?limit=1000").json()["events"]?.array?
                .compactMap { $0["seq"]?.int } ?? []
            #expect(seqs == Array(1...max(1, seqs.count)))
        }

        @Test("an upload is 503, leaves nothing behind what was saved, and continues when there is room")
        func uploads() async throws {
            let process = try await ParleyProcess.start()
            let ann = try await FileUser.signUp("ann", port: process.port)
            let bytes = FileUser.bytes(12_000_000)
            let id = try await ann.declare(bytes)
            try await limit(process, toBytes: 6_000_000)
            let refused = try await ann.patch(id, bytes, at: 0)
            #expect(refused.status == 503)
            #expect(refused.text.contains("storage of attachments is unavailable or full"))
            let saved = try #require(try await ann.offset(id))
            #expect((1...6_000_000).contains(saved))
            let file = process.databasePath + ".files/uploads/" + id
            let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
            #expect(size == saved)
            try await limit(process, toBytes: nil)
            let rest = try await ann.patch(id, Array(bytes[saved...]), at: saved)
            #expect(try rest.json()["complete"]?.bool == true, "\(rest)")
            #expect(try await ann.download(id).body == bytes)
        }
    }
}
