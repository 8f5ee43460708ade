package import ParleyModel

/// The locks of a single process, which owns every partition.
package struct AllPartitions: PartitionLocks {
    package init() {}

    package func balance(_ partitions: [Partition]) async throws(StoreError) -> PartitionAssignment {
        PartitionAssignment(owned: Set(partitions))
    }

    package func release(_ partitions: some Sequence<Partition> & Sendable) async {}

    package func leave() async {}
}
