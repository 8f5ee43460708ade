/// How a `Persister` cuts batches, retries and ends.
package struct PersisterSettings: Hashable, Sendable {
    /// Entries of one transaction at most.
    package var batchLimit = 1000
    /// How long a batch that is not full may wait for more. Zero for the embedded log, whose appends wait for the
    /// store: they gather while the batch before is written.
    package var maximumDelay = Duration.zero
    /// How often the partitions are shared out anew; those of a process that has died are free for as long.
    package var balanceInterval = Duration.seconds(1)
    /// The waits after a failure.
    package var backoff = Backoff()
    /// At shutdown, whether the stream is read dry, as it must be where it ends with the process, or only what has
    /// been read is written.
    package var drains = true
    /// The most time between the order to shut down and the end.
    package var shutdownTimeout = Duration.seconds(10)

    package init() {}
}
