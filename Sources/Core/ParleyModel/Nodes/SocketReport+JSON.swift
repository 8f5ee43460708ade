package import ParleyJSON

extension SocketReport {
    package var members: [JSONTree.Member] {
        [
            .init("connection", .text(connection)), .init("user_id", .text(user.id.text)),
            .init("username", .text(user.name)), .init("dialect", .text(dialect)),
            .init("credential", .text(credential)), .init("address", .text(address)),
            .init("connected_ms", .integer(connected)), .init("last_seen_ms", .integer(lastSeen)),
            .init("waiting_bytes", .integer(Int64(waitingBytes))), .init("positions", .array(places.map(\.tree))),
        ]
    }

    /// Returns `nil` if the tree is not a socket report.
    init?(_ tree: JSONTree) {
        guard let connection = tree["connection"]?.text, let user = tree["user_id"]?.text.flatMap({ UserID($0) }),
            let name = tree["username"]?.text, let dialect = tree["dialect"]?.text,
            let credential = tree["credential"]?.text, let address = tree["address"]?.text,
            let connected = tree["connected_ms"]?.integer, let lastSeen = tree["last_seen_ms"]?.integer
        else { return nil }
        self.init(
            connection: connection, user: User(id: user, name: name), dialect: dialect, credential: credential,
            address: address, connected: connected, lastSeen: lastSeen, waitingBytes: tree.count("waiting_bytes"),
            places: (tree["positions"]?.elements ?? []).compactMap { Place($0) })
    }
}

extension SocketReport.Place {
    var tree: JSONTree {
        let behind = behind.map { range in
            JSONTree.object(["from": .integer(range.lowerBound), "to": .integer(range.upperBound)])
        }
        return .object([
            "thread_id": .text(thread.text), "epoch": position.map { .text($0.epoch.text) },
            "seq": .integer(position?.seq ?? 0), "behind": behind,
        ])
    }

    init?(_ tree: JSONTree) {
        guard let thread = tree["thread_id"]?.text.flatMap({ ThreadID($0) }) else { return nil }
        let position = tree["epoch"]?.text.map { Position(epoch: Epoch($0), seq: tree["seq"]?.integer ?? 0) }
        var behind: ClosedRange<Int64>?
        if let from = tree["behind"]?["from"]?.integer, let to = tree["behind"]?["to"]?.integer, from <= to {
            behind = from...to
        }
        self.init(thread: thread, position: position, behind: behind)
    }
}
