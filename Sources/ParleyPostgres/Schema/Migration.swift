/// One step of the schema. A released step never changes; the next change is a new step.
struct Migration: Sendable {
    /// 1, 2, 3 … in the order of application.
    let number: Int
    let name: String
    /// The oldest compatible version of Parley, given as the newest step known to that version: `number` if the step
    /// changes what an older node reads or writes, less if it only adds to it.
    let oldestNode: Int
    /// Executed inside the transaction of `Migrations.run`.
    let statements: [String]
}
