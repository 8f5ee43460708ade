/// One step of the schema. A released step never changes; the next change is a new step.
struct Migration: Sendable {
    /// 1, 2, 3 … in the order of application.
    let number: Int
    let name: String
    /// The statements, executed inside the transaction of `Migrations.run`.
    let sql: String
}
