package import ParleyModel

/// The names of channels and keys in Redis.
package struct ChannelNames: Hashable, Sendable {
    /// How many parts each host's log is cut into.
    package static var partitionsPerHost: Int { 64 }

    /// Django's prefix.
    package let prefix: String
    /// Stands before everything that only Parley uses.
    package let ownPrefix: String

    package static let standardOwnPrefix = "parley"

    package init(prefix: String = "asgi", ownPrefix: String = standardOwnPrefix) {
        self.prefix = prefix
        self.ownPrefix = ownPrefix
    }

    /// The channel of a group, as channels_redis' pub/sub layer names it: nothing is escaped.
    package func group(_ name: String) -> String {
        "\(prefix)__group__\(name)"
    }

    /// Messages of a thread: Django consumers listen here too.
    package func messages(of thread: ThreadID) -> String {
        group(thread.text)
    }

    /// All else that happens in a thread. An event that a Django consumer has no handler for ends that consumer, so
    /// those must not be where it listens. Lies on the host of `messages(of:)`, whatever its own name hashes to.
    package func events(of thread: ThreadID) -> String {
        messages(of: thread) + ".events"
    }

    /// What concerns a user; of no thread's host but that of its own name.
    package func control(of user: UserID) -> String {
        "\(ownPrefix):user:\(user)"
    }

    /// What a node says to itself.
    package func node(_ name: String) -> String {
        "\(ownPrefix):node:\(name)"
    }

    /// The partition of a thread on its host, 0 to 63.
    package func partition(of thread: ThreadID) -> Int {
        HostRing.slot(of: messages(of: thread)) >> 6
    }

    /// The head of a thread's log.
    package func head(of thread: ThreadID) -> String {
        "\(partitionPrefix(partition(of: thread))):t:\(thread)"
    }

    /// The newest events of a thread.
    package func log(of thread: ThreadID) -> String {
        "\(partitionPrefix(partition(of: thread))):log:\(thread)"
    }

    /// What is on its way to the store.
    package func ingest(_ partition: Int) -> String {
        "\(partitionPrefix(partition)):ingest"
    }

    /// What tells one content of an ingest stream from the next.
    package func incarnation(_ partition: Int) -> String {
        "\(partitionPrefix(partition)):incarnation"
    }

    /// The first answer to a send.
    ///
    /// The partition is the sender's, not the thread's: a name that is used again in another thread must be found.
    package func once(_ sender: UserID, _ clientID: String) -> String {
        let partition = HostRing.slot(of: sender.text) >> 6
        return "\(partitionPrefix(partition)):once:\(sender):\(clientID)"
    }

    /// The receipt of an event that comes from the outbox. No user has the id `~outbox`.
    package func once(_ outboxID: Int64, in thread: ThreadID) -> String {
        "\(partitionPrefix(partition(of: thread))):once:~outbox:\(outboxID)"
    }

    /// Begins the name of the key of an epoch whose thread was deleted; on the thread's host.
    package var goneEpoch: String { "\(ownPrefix):gone:" }

    /// Which send has a `clientID`, where there are several hosts: on the host of this name.
    package func claim(_ sender: UserID, _ clientID: String) -> String {
        "\(partitionPrefix(HostRing.slot(of: sender.text) >> 6)):claim:\(sender):\(clientID)"
    }

    /// Since when a host has had its claims.
    package var claimMark: String { "\(ownPrefix):claims" }

    /// A ticket that was redeemed.
    package func ticket(_ nonce: String) -> String {
        "\(ownPrefix):ticket:\(nonce)"
    }

    /// Who has a guest's name.
    package func guest(_ name: String) -> String {
        "\(ownPrefix):guest:\(name)"
    }

    /// A token bucket or a window of failures.
    package func rate(_ key: String) -> String {
        "\(ownPrefix):rate:\(key)"
    }

    /// The stamps of a traced message.
    package func trace(of message: MessageID) -> String {
        "\(ownPrefix):trace:\(message)"
    }

    /// Which nodes have sockets of a user; a channel of the same name says when that changes.
    package func presence(of user: UserID) -> String {
        "\(ownPrefix):presence:u:\(user)"
    }

    /// Which nodes are alive, and until when.
    package var presenceNodes: String { "\(ownPrefix):presence:nodes" }

    /// Which nodes say how they are, and until when each counts as alive. Everything of `RedisNodeRegistry` is on this key's
    /// host.
    package var nodes: String { "\(ownPrefix):nodes" }

    /// How a node is.
    package func status(of node: String) -> String {
        "\(ownPrefix):node:\(node):status"
    }

    /// What a node is asked.
    package func requests(to node: String) -> String {
        "\(ownPrefix):node:\(node):asked"
    }

    /// What nodes have answered.
    package func replies(to request: String) -> String {
        "\(ownPrefix):answers:\(request)"
    }

    private func partitionPrefix(_ number: Int) -> String {
        number < 10 ? "\(ownPrefix):{p0\(number)}" : "\(ownPrefix):{p\(number)}"
    }
}
