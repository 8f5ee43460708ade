/// One step of the schema. A released step never changes; the next change is a new step.
package struct Migration: Sendable {
    /// 1, 2, 3 … in the order of application.
    package let number: Int
    let name: String
    /// The oldest compatible version of Parley, given as the newest step known to that version: `number` if the step
    /// changes what an older node reads or writes, less if it only adds to it.
    let oldestNode: Int
    /// Whether nodes of this version work without the step, which excludes older nodes: on a database that is in use,
    /// it is applied only when an operator says that none is left.
    var isDeferred = false
    /// Built before the step's transaction, beside the writers; see `IndexBuilder`.
    var indexes: [Index] = []
    /// Executed inside the transaction of `Migrations.run`.
    var statements: [String] = []

    /// An index of a table that may be large.
    struct Index: Sendable {
        let name: String
        /// What follows the name in `CREATE INDEX`.
        let definition: String
        var isUnique = false
        /// Makes room for a unique index if rows contradict it; run at most once for each attempt.
        var repair: Statement?

        func create(concurrently: Bool) -> Statement {
            let (kind, mode) = (isUnique ? "UNIQUE INDEX" : "INDEX", concurrently ? " CONCURRENTLY" : "")
            return Statement("CREATE \(kind)\(mode) \(name) \(definition)", isKept: false)
        }

        var drop: Statement { Statement("DROP INDEX CONCURRENTLY \(name)", isKept: false) }
    }
}
