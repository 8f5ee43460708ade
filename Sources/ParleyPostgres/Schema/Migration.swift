/// One step of the schema. A step that has been released never changes; the next change is a new step.
struct Migration: Sendable {
    /// 1, 2, 3 … in the order they are run.
    let number: Int
    let name: String
    /// Run inside the transaction of `Migrations.run`.
    let statements: [String]
}
