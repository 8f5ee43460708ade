/// Distributes the partitions of the ingest stream among the persister processes.
///
/// At most one process owns a partition, and a process that dies releases all of its partitions at once. Exclusive ownership is
/// an optimisation: two processes that write the same partition still store each event once (`MessageStore.write`), only more
/// slowly.
package protocol PartitionLocks: Sendable {
    /// Joins the distribution, and takes free partitions up to the fair share: `partitions` divided by the number of
    /// participating processes, rounded up. Called periodically by one task.
    /// - Throws: An error if the locks may be lost. The caller must then assume that it owns nothing.
    func balance(_ partitions: [Partition]) async throws(StoreError) -> PartitionAssignment

    /// Releases partitions that this process no longer processes.
    func release(_ partitions: some Sequence<Partition> & Sendable) async

    /// Releases all partitions and leaves the distribution.
    func leave() async
}

/// The partitions owned by one process.
package struct PartitionAssignment: Hashable, Sendable {
    package var owned: Set<Partition>
    /// The partitions of `owned` above the fair share. They must be released for other processes.
    package var surplus: Set<Partition>

    package init(owned: Set<Partition>, surplus: Set<Partition> = []) {
        self.owned = owned
        self.surplus = surplus
    }
}
