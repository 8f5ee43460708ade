package import ParleyModel

/// The change of a persister's share of the partitions at a call of `PartitionLocks.balance`: from the present locks to
/// the partitions that it may take and should release.
package struct PartitionBalance: Hashable, Sendable {
    /// The partitions without a lock, in the order in which they are taken.
    package let free: [Partition]
    /// The number of them that the persister may take.
    package let missing: Int
    /// The partitions that it owns beyond its fair share.
    private let excess: Set<Partition>
    private let requested: Set<Partition>

    /// - Parameters:
    ///   - partitions: all that are distributed.
    ///   - owned: the partitions that this persister has locked.
    ///   - locked: the partitions that any persister has locked.
    ///   - members: the number of persisters.
    package init(of partitions: [Partition], owned: Set<Partition>, locked: Set<Partition>, members: Int) {
        requested = Set(partitions)
        let members = max(1, members)
        let fair = (requested.count + members - 1) / members
        let wanted = owned.intersection(requested).sorted { $0.number < $1.number }
        missing = max(0, fair - wanted.count)
        free = requested.subtracting(locked).sorted { $0.number < $1.number }
        excess = Set(wanted.dropFirst(fair))
    }

    /// The assignment after some partitions were taken.
    /// - Parameter owned: the partitions that the persister has locked now.
    package func assignment(owned: Set<Partition>) -> PartitionAssignment {
        // Includes partitions that are no longer requested.
        PartitionAssignment(owned: owned, surplus: excess.union(owned.subtracting(requested)))
    }
}
