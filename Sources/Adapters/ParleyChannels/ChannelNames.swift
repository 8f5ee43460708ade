package import ParleyModel

/// The names of channels and keys in Redis.
package struct ChannelNames: Hashable, Sendable {
    /// The number of log partitions on each host.
    package static var partitionsPerHost: Int { 64 }

    /// The channel layer's prefix, as set in Django.
    package let prefix: String
    /// The prefix of all keys and channels that only Parley uses.
    package let ownPrefix: String

    package static let standardOwnPrefix = "parley"

    /// The prefix of the keys and the key of the ingest stream of each partition. Every append needs them.
    private let partitions: [PartitionNames]

    /// The prefix of the channel of a group.
    private let groupPrefix: String

    private struct PartitionNames: Hashable, Sendable {
        let prefix: String
        /// The prefix of the keys of the heads and the logs of threads.
        let head: String
        let log: String
        let ingest: String
    }

    package init(prefix: String = "asgi", ownPrefix: String = standardOwnPrefix) {
        self.prefix = prefix
        self.ownPrefix = ownPrefix
        groupPrefix = "\(prefix)__group__"
        partitions = (0..<Self.partitionsPerHost).map { number in
            let prefix = "\(ownPrefix):{p\(number < 10 ? "0" : "")\(number)}"
            return PartitionNames(
                prefix: prefix, head: prefix + ":t:", log: prefix + ":log:", ingest: prefix + ":ingest")
        }
    }

    /// Returns the keys of an append and the channel of its message; the thread is hashed once for all of them.
    package func namesOfAppend(to thread: ThreadID) -> (head: String, log: String, ingest: String, messages: String) {
        let messages = groupPrefix + thread.text
        let partition = partitions[HostRing.slot(of: messages) >> 6]
        return (partition.head + thread.text, partition.log + thread.text, partition.ingest, messages)
    }

    /// Returns the channel of a group in channels_redis' pub/sub layer. Nothing is escaped.
    package func group(_ name: String) -> String {
        groupPrefix + name
    }

    /// Returns the channel of a thread's messages; Django consumers subscribe to it too.
    package func messages(of thread: ThreadID) -> String {
        groupPrefix + thread.text
    }

    /// Returns the channel of all other events of a thread. An event without a handler terminates a Django consumer, so
    /// these events must not use a channel that consumers subscribe to. It is on the host of `messages(of:)`, whatever
    /// its own name hashes to.
    package func events(of thread: ThreadID) -> String {
        messages(of: thread) + ".events"
    }

    /// Returns the channel of a user's control events, on the host of its own name.
    package func control(of user: UserID) -> String {
        "\(ownPrefix):user:\(user)"
    }

    /// Returns the channel of a node's heartbeats.
    package func node(_ name: String) -> String {
        "\(ownPrefix):node:\(name)"
    }

    /// Returns the partition of a thread on its host, 0 to 63.
    package func partition(of thread: ThreadID) -> Int {
        HostRing.slot(of: messages(of: thread)) >> 6
    }

    /// Returns the key of the head of a thread's log.
    package func head(of thread: ThreadID) -> String {
        partitions[partition(of: thread)].head + thread.text
    }

    /// Returns the key of a thread's newest events.
    package func log(of thread: ThreadID) -> String {
        partitions[partition(of: thread)].log + thread.text
    }

    /// Returns the key of an ingest stream.
    package func ingest(_ partition: Int) -> String {
        partitions[partition].ingest
    }

    /// The suffix that follows the key of an ingest stream in the key of the list of `IngestWaker`.
    package static var awaitedSuffix: String { ":awaited" }

    /// The infix between the key of an ingest stream and the ID of a message in the key of a withdrawal.
    package static var withdrawnInfix: String { ":withdrawn:" }

    /// Returns the key that marks a message as withdrawn.
    package func withdrawn(_ message: MessageID, in thread: ThreadID) -> String {
        partitions[partition(of: thread)].ingest + Self.withdrawnInfix + message.text
    }

    /// Returns the key of the list of `IngestWaker` of a thread's partition.
    package func awaited(in thread: ThreadID) -> String {
        partitions[partition(of: thread)].ingest + Self.awaitedSuffix
    }

    /// The suffix that follows the key of an ingest stream in the key of the first ID that is not stored.
    package static var storedSuffix: String { ":stored" }

    /// Returns the key of a thread's former epochs (`FormerEpochs`).
    package func formerEpochs(of thread: ThreadID) -> String {
        "\(partitions[partition(of: thread)].prefix):was:\(thread)"
    }

    /// The key of the incarnation of a host that was checked against the store, and of the result.
    package var incarnationMark: String { "\(ownPrefix):incarnation" }

    /// The key of the counter of a host's progress (`HostProgress`).
    package var progress: String { "\(ownPrefix):progress" }

    /// Returns the key of an ingest stream's incarnation.
    package func incarnation(_ partition: Int) -> String {
        "\(partitions[partition].prefix):incarnation"
    }

    /// Returns the key of the first receipt of a send.
    ///
    /// The partition is the sender's, not the thread's: a `clientID` reused in another thread must be found.
    package func once(_ sender: UserID, _ clientID: String) -> String {
        let partition = HostRing.slot(of: sender.text) >> 6
        return "\(partitions[partition].prefix):once:\(sender):\(clientID)"
    }

    /// Returns the key of the receipt of an outbox event. `~outbox` is not a valid user ID.
    package func once(_ outboxID: Int64, in thread: ThreadID) -> String {
        "\(partitions[partition(of: thread)].prefix):once:~outbox:\(outboxID)"
    }

    /// The prefix of the key that marks the epoch of a deleted thread; on the thread's host.
    package var goneEpoch: String { "\(ownPrefix):gone:" }

    /// Returns the key of the claim on a `clientID`. It is used with several hosts, and is on the host of its own name.
    package func claim(_ sender: UserID, _ clientID: String) -> String {
        "\(partitions[HostRing.slot(of: sender.text) >> 6].prefix):claim:\(sender):\(clientID)"
    }

    /// The key of the time since which a host has stored its claims.
    package var claimMark: String { "\(ownPrefix):claims" }

    /// Returns the key of a redeemed ticket.
    package func ticket(_ nonce: String) -> String {
        "\(ownPrefix):ticket:\(nonce)"
    }

    /// Returns the key of the time at which an event of Django was first heard; on the thread's host.
    package func heard(_ digest: String, in thread: ThreadID) -> String {
        "\(ownPrefix):heard:\(thread):\(digest)"
    }

    /// Returns the key of the guests whose names have this look (`NameLook.keys`).
    package func guest(_ look: String) -> String {
        "\(ownPrefix):guest:\(look)"
    }

    /// Returns the key of a token bucket or a failure window.
    package func rate(_ key: String) -> String {
        "\(ownPrefix):rate:\(key)"
    }

    /// Returns the key of the stamps of a traced message.
    package func trace(of message: MessageID) -> String {
        "\(ownPrefix):trace:\(message)"
    }

    /// Returns the key of the nodes that hold connections of a user. A channel of the same name announces changes.
    package func presence(of user: UserID) -> String {
        "\(ownPrefix):presence:u:\(user)"
    }

    /// The key of the presence leases of nodes.
    package var presenceNodes: String { "\(ownPrefix):presence:nodes" }

    /// The key of the registered nodes with the times until which each counts as alive. All keys of `RedisNodeRegistry`
    /// are on this key's host.
    package var nodes: String { "\(ownPrefix):nodes" }

    /// Returns the key of a node's status.
    package func status(of node: String) -> String {
        "\(ownPrefix):node:\(node):status"
    }

    /// Returns the key of the pending requests to a node.
    package func requests(to node: String) -> String {
        "\(ownPrefix):node:\(node):requests"
    }

    /// Returns the key of the replies to a request.
    package func replies(to request: String) -> String {
        "\(ownPrefix):replies:\(request)"
    }
}
