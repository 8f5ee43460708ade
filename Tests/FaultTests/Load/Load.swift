import NIOCore
import NIOPosix
import ParleyTestSupport

/// A load on a cluster: clients of a plan, their threads, and what comes of it.
struct Load {
    let cluster: Cluster
    let plan: LoadPlan
    /// By number of the thread, its id.
    private let threads: [String]
    private let clients: [NIOLoopBound<LoadClient>]
    private let loops: [any EventLoop]

    /// Makes users and threads, and opens a socket for each client.
    static func prepare(_ plan: LoadPlan, on cluster: Cluster) async throws -> Load {
        let threads = try await makeThreads(plan, cluster)
        let loops = Array(MultiThreadedEventLoopGroup.singleton.makeIterator())
        let ports = cluster.gateways.map(\.port)
        var clients: [NIOLoopBound<LoadClient>] = []
        for number in 0..<plan.clients {
            let loop = loops[number % loops.count]
            clients.append(
                try await loop.submit {
                    let client = LoadClient(
                        number: number, thread: plan.thread(of: number), threadID: threads[plan.thread(of: number)],
                        ports: ports,
                        headers: "Authorization: Bearer \(Cluster.apiKey)\r\nX-Parley-User: load\(number)\r\n",
                        interval: .nanoseconds(Int64(1e9 * Double(plan.clients) / plan.rate)), loop: loop)
                    return NIOLoopBound(client, eventLoop: loop)
                }.get())
        }
        let load = Load(cluster: cluster, plan: plan, threads: threads, clients: clients, loops: loops)
        try await load.onEach { $0.open() }
        return load
    }

    /// Users and rooms by the calls that everybody has; each room is made and joined by its members.
    private static func makeThreads(_ plan: LoadPlan, _ cluster: Cluster) async throws -> [String] {
        var threads = [String](repeating: "", count: plan.threads)
        for start in stride(from: 0, to: plan.clients, by: 20) {
            try await withThrowingTaskGroup(of: (Int, String).self) { group in
                for number in start..<min(start + 20, plan.clients) {
                    group.addTask {
                        let rest = cluster.rest(persister: number % cluster.persisters.count)
                        _ = try await rest.post(
                            "/auth/signup", form: ["username": "load\(number)", "password": "not a secret"])
                        let room = try await cluster.rest(as: "load\(number)").post(
                            "/messaging/add-chatroom", form: ["title": "room \(plan.thread(of: number))"])
                        guard let id = try room.json()["id"]?.string else { throw Failure("no room: \(room)") }
                        return (plan.thread(of: number), id)
                    }
                }
                for try await (thread, id) in group { threads[thread] = id }
            }
        }
        return threads
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    private func onEach(_ body: @escaping @Sendable (LoadClient) -> EventLoopFuture<Void>) async throws {
        let futures = zip(clients, loops(of: clients)).map { client, loop in
            loop.flatSubmit { body(client.value) }
        }
        try await EventLoopFuture.andAllSucceed(futures, on: loops[0]).get()
    }

    private func loops(of clients: [NIOLoopBound<LoadClient>]) -> [any EventLoop] {
        clients.indices.map { loops[$0 % loops.count] }
    }

    /// Sends for the plan's duration while `disturb` does its worst, then comes to rest.
    /// - Returns: what is to be compared.
    func run(
        mayLoseUnstored: Bool = false, disturb: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> Checker {
        try await onEach { client in
            client.beginSending()
            return .andAllSucceed([], on: MultiThreadedEventLoopGroup.singleton.next())
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await disturb() }
            group.addTask { try await Task.sleep(for: plan.duration) }
            try await group.waitForAll()
        }
        try await onEach { client in
            client.endSending()
            return .andAllSucceed([], on: MultiThreadedEventLoopGroup.singleton.next())
        }
        try await rest()
        var journals: [Journal] = []
        for (client, loop) in zip(clients, loops(of: clients)) {
            journals.append(try await loop.submit { client.value.end() }.get())
        }
        return Checker(stored: try await stored(), journals: journals, mayLoseUnstored: mayLoseUnstored)
    }

    /// Waits until nothing moves any more: neither on the sockets nor in the store.
    private func rest() async throws {
        var before = (seen: -1, stored: "")
        var quiet = 0
        for _ in 0..<120 {
            try await Task.sleep(for: .milliseconds(500))
            var seen = 0
            for (client, loop) in zip(clients, loops(of: clients)) {
                seen += try await loop.submit { client.value.seenCount }.get()
            }
            let stored = try await cluster.rows("SELECT count(*) FROM messages").joined()
            quiet = before == (seen, stored) ? quiet + 1 : 0
            if quiet >= 4 { return }
            before = (seen, stored)
        }
        throw Failure("there is no rest: \(cluster.logs())")
    }

    private func stored() async throws -> [Int: [Sighting]] {
        let numbers = Dictionary(threads.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        var stored: [Int: [Sighting]] = [:]
        for row in try await cluster.rows("SELECT thread_id, epoch, seq, text FROM messages ORDER BY thread_id, seq") {
            let fields = row.split(separator: "|").map(String.init)
            guard fields.count == 4, let thread = numbers[fields[0]], let seq = Int64(fields[2]) else {
                throw Failure("not a row of the load: \(row)")
            }
            stored[thread, default: []].append(
                Sighting(thread: thread, epoch: fields[1], seq: seq, text: fields[3]))
        }
        return stored
    }
}
