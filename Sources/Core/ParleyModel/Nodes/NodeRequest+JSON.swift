package import ParleyJSON

extension NodeRequest {
    package var tree: JSONTree {
        switch content {
        case .socketsOfUser(let user, let threads):
            tree(
                "sockets_of_user",
                [.init("user_id", .text(user.text)), .init("threads", .array(threads.map { .text($0.text) }))])
        case .socketsInThread(let thread): tree("sockets_in_thread", [.init("thread_id", .text(thread.text))])
        case .closeSockets(let user): tree("close_sockets", [.init("user_id", .text(user.text))])
        case .history: tree("history", [])
        case .drain: tree("drain", [])
        }
    }

    private func tree(_ kind: String, _ members: [JSONTree.Member]) -> JSONTree {
        .object([.init("id", .text(id)), .init("kind", .text(kind))] + members)
    }

    /// Returns `nil` if the tree is not a request that this version supports.
    package init?(_ tree: JSONTree) {
        guard let id = tree["id"]?.text else { return nil }
        let user = tree["user_id"]?.text.flatMap { UserID($0) }
        let thread = tree["thread_id"]?.text.flatMap { ThreadID($0) }
        switch tree["kind"]?.text {
        case "sockets_of_user":
            guard let user else { return nil }
            let threads = (tree["threads"]?.elements ?? []).prefix(Self.maximumThreads)
            self.init(id: id, .socketsOfUser(user, in: threads.compactMap { $0.text.flatMap { ThreadID($0) } }))
        case "sockets_in_thread":
            guard let thread else { return nil }
            self.init(id: id, .socketsInThread(thread))
        case "close_sockets":
            guard let user else { return nil }
            self.init(id: id, .closeSockets(user))
        case "history": self.init(id: id, .history)
        case "drain": self.init(id: id, .drain)
        default: return nil
        }
    }
}

extension NodeReply {
    package var tree: JSONTree {
        .object([
            "request": .text(request), "instance": .text(instance), "count": .integer(Int64(count)),
            "follows": .bool(follows), "sockets": .array(sockets.map { .object($0.members) }),
            "history": .array(history.map(\.tree)),
        ])
    }

    /// Returns `nil` if the tree is not a reply.
    package init?(_ tree: JSONTree) {
        guard let request = tree["request"]?.text, let instance = tree["instance"]?.text else { return nil }
        self.init(
            request: request, instance: instance,
            sockets: (tree["sockets"]?.elements ?? []).prefix(Self.maximumSockets).compactMap { SocketReport($0) },
            count: tree.count("count"), follows: tree["follows"] == .bool(true),
            history: (tree["history"]?.elements ?? []).prefix(NodeHistory.capacity).compactMap { LoadSample($0) })
    }
}
