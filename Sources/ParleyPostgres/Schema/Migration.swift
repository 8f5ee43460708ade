/// One step of the schema. A step that has been released never changes; the next change is a new step.
struct Migration: Sendable {
    /// 1, 2, 3 … in the order they are run.
    let number: Int
    let name: String
    /// The oldest version of Parley whose nodes work beside this step, said by the newest step which that version knows: `number`
    /// if the step changes what an older node reads or writes, less if it only adds to it.
    let oldestNode: Int
    /// Run inside the transaction of `Migrations.run`.
    let statements: [String]
}
