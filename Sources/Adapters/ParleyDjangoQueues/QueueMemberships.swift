import ParleyChannels
package import ParleyModel

/// The groups that a node is a member of, as a value: the changes to write to each host, in order and in batches.
///
/// Only states are kept, not a history: after an outage each group is written once. Bounded by the threads that the
/// node is subscribed to, and the threads that it has left without having written the change.
package struct QueueMemberships: Sendable {
    /// A group to write to Redis.
    package struct Change: Hashable, Sendable {
        package let thread: ThreadID
        package let isMember: Bool
    }

    private let hosts: Int
    /// The host of a group.
    private let host: @Sendable (ThreadID) -> Int
    /// The threads of the groups, by their local names.
    private var threads: [String: ThreadID] = [:]
    /// The threads with unwritten changes, by host, oldest first.
    private var unwritten: [[ThreadID]]
    private var isUnwritten: Set<ThreadID> = []
    private var isWriting: [Bool]

    package init(hosts: Int, host: @escaping @Sendable (ThreadID) -> Int) {
        self.hosts = hosts
        self.host = host
        unwritten = Array(repeating: [], count: hosts)
        isWriting = Array(repeating: false, count: hosts)
    }

    package var count: Int { threads.count }

    /// Whether all changes are written.
    package var isSettled: Bool { isUnwritten.isEmpty && !isWriting.contains(true) }

    /// The thread of a local name; `nil` if the node is not a member of its group.
    package subscript(local local: some StringProtocol) -> ThreadID? { threads[String(local)] }

    /// Joins groups.
    /// - Returns: The hosts that have changes.
    package mutating func join(_ joined: [ThreadID]) -> Set<Int> {
        for thread in joined { threads[LayerQueues.localName(of: thread)] = thread }
        return write(joined)
    }

    package mutating func leave(_ left: [ThreadID]) -> Set<Int> {
        write(left.filter { threads.removeValue(forKey: LayerQueues.localName(of: $0)) != nil })
    }

    /// Leaves all groups.
    package mutating func leaveAll() -> Set<Int> { leave(Array(threads.values)) }

    /// Writes all memberships again: to renew them, or because Redis may have lost them.
    package mutating func renew() -> Set<Int> { write(Array(threads.values)) }

    private mutating func write(_ changed: [ThreadID]) -> Set<Int> {
        var touched: Set<Int> = []
        for thread in changed {
            let host = host(thread)
            touched.insert(host)
            if isUnwritten.insert(thread).inserted { unwritten[host].append(thread) }
        }
        return touched
    }

    /// Takes the next changes for a host; none while others are being written there.
    package mutating func take(for host: Int, atMost limit: Int) -> [Change] {
        guard !isWriting[host], !unwritten[host].isEmpty else { return [] }
        isWriting[host] = true
        let taken = unwritten[host].prefix(limit)
        unwritten[host].removeFirst(taken.count)
        return taken.map { thread in
            isUnwritten.remove(thread)
            return Change(thread: thread, isMember: threads[LayerQueues.localName(of: thread)] != nil)
        }
    }

    /// Records whether the changes of a host were written.
    package mutating func wrote(_ changes: [Change], to host: Int, isAccepted: Bool) {
        isWriting[host] = false
        if !isAccepted { _ = write(changes.map(\.thread)) }
    }
}
