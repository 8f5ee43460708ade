package import ParleyModel

/// The locks of a process that is alone with its stream: everything is its own.
package struct AllPartitions: PartitionLocks {
    package init() {}

    package func balance(_ partitions: [Partition]) async throws(StoreError) -> PartitionAssignment {
        PartitionAssignment(owned: Set(partitions))
    }

    package func release(_ partitions: some Sequence<Partition> & Sendable) async {}

    package func leave() async {}
}
