/// Settings of a `Persister`: batches, retries and shutdown.
package struct PersisterSettings: Hashable, Sendable {
    /// Maximum number of entries in one transaction.
    package var batchLimit = 1000
    /// Maximum time that a partial batch waits for more entries. Zero for the embedded log, whose appends wait for the
    /// store: they accumulate while the previous batch is written.
    package var maximumDelay = Duration.zero
    /// The interval at which partitions are balanced; those of a process that has died stay unowned for up to this
    /// long.
    package var balanceInterval = Duration.seconds(1)
    /// The delays after failures.
    package var backoff = Backoff()
    /// Whether the stream is drained at shutdown, as it must be if it ends with the process; otherwise only what has
    /// been read is written.
    package var drains = true
    /// Maximum shutdown time.
    package var shutdownTimeout = Duration.seconds(10)

    package init() {}
}
