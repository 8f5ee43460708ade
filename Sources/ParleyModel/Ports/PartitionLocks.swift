/// Shares the partitions of the ingest stream out to the processes that store it.
///
/// At most one process has a partition, and a process that dies gives up all of its own at once. This is for speed: a
/// partition written by two would be stored once all the same (`MessageStore.write`), only more slowly.
package protocol PartitionLocks: Sendable {
    /// Takes part in the sharing: takes free partitions up to a fair share, which is those of `partitions` divided by
    /// the processes that take part, rounded up. To be called once in a while, by one task.
    /// - Throws: when the locks may be lost. Everything must be taken for lost then.
    func balance(_ partitions: [Partition]) async throws(StoreError) -> PartitionAssignment

    /// Gives partitions up, once nobody here works on them.
    func release(_ partitions: some Sequence<Partition> & Sendable) async

    /// Gives everything up and takes part no more.
    func leave() async
}

/// What a process has of the partitions.
package struct PartitionAssignment: Hashable, Sendable {
    package var owned: Set<Partition>
    /// Those of `owned` that are above the fair share and must be given up for others.
    package var surplus: Set<Partition>

    package init(owned: Set<Partition>, surplus: Set<Partition> = []) {
        self.owned = owned
        self.surplus = surplus
    }
}
