import ParleyModel
import Synchronization

/// Locks in memory, shared by several persisters; tests control which processes are alive and whose locks are lost.
final class LockTable: Sendable {
    struct State {
        var owners: [Partition: Int] = [:]
        var members: Set<Int> = []
        var cutOff: Set<Int> = []
        /// Partitions that were granted while another process owned them.
        var doubled = 0
        /// How often each process has asked for its share.
        var balances: [Int: Int] = [:]
    }

    let state = Mutex(State())

    func owner(of partition: Partition) -> Int? {
        state.withLock { $0.owners[partition] }
    }

    func count(of member: Int) -> Int {
        state.withLock { $0.owners.values.filter { $0 == member }.count }
    }

    func balances(of member: Int) -> Int {
        state.withLock { $0.balances[member, default: 0] }
    }

    /// Disconnects `member`: everything it owned is free, and it finds out at the next `balance`.
    func cutOff(_ member: Int) {
        state.withLock { state in
            state.cutOff.insert(member)
            state.members.remove(member)
            state.owners = state.owners.filter { $0.value != member }
        }
    }

    func comesBack(_ member: Int) {
        state.withLock { _ = $0.cutOff.remove(member) }
    }
}

struct TestLocks: PartitionLocks {
    let table: LockTable
    let member: Int

    func balance(_ partitions: [Partition]) async throws(StoreError) -> PartitionAssignment {
        let share: PartitionAssignment? = table.state.withLock { state in
            guard !state.cutOff.contains(member) else { return nil }
            state.members.insert(member)
            state.balances[member, default: 0] += 1
            let most = (partitions.count + state.members.count - 1) / state.members.count
            var owned = Set(partitions.filter { state.owners[$0] == member })
            for partition in partitions where owned.count < most && state.owners[partition] == nil {
                state.owners[partition] = member
                owned.insert(partition)
            }
            let surplus = owned.sorted { $0.number < $1.number }.dropFirst(most)
            return PartitionAssignment(owned: owned, surplus: Set(surplus))
        }
        guard let share else { throw .unavailable("cut off") }
        return share
    }

    func release(_ partitions: some Sequence<Partition> & Sendable) async {
        table.state.withLock { state in
            for partition in partitions where state.owners[partition] == member { state.owners[partition] = nil }
        }
    }

    func leave() async {
        table.state.withLock { state in
            state.members.remove(member)
            state.owners = state.owners.filter { $0.value != member }
        }
    }
}
