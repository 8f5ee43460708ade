package import ParleyModel

/// The steps of the schema that a database has, as a program compares them with those it knows. The steps are numbered
/// 1, 2, 3 …
package struct SchemaHistory: Hashable, Sendable {
    /// The numbers of the steps that are applied.
    package var steps: Set<Int>
    /// The oldest version that works with them, given as the newest step known to it.
    package var oldestNode: Int
    /// Whether the tables were created before version 0.1.0, whose steps are no longer known.
    package var isUnreleased: Bool

    package init(steps: Set<Int> = [], oldestNode: Int = 0, isUnreleased: Bool = false) {
        self.steps = steps
        self.oldestNode = oldestNode
        self.isUnreleased = isUnreleased
    }

    /// The difference between a database and a program's schema.
    package enum Finding: Hashable, Sendable {
        /// It has no tables.
        case empty
        /// It has the steps up to `step`; the program requires `of` steps.
        case behind(step: Int, of: Int)
        case complete
    }

    /// - Parameter known: the newest step that the program knows.
    /// - Throws: `failed` if the program must not use the database.
    package func compare(with known: Int) throws(StoreError) -> Finding {
        guard !isUnreleased else {
            throw .failed(
                "the database is from before version 0.1.0, which cannot be upgraded: start with an empty one")
        }
        let newest = steps.max() ?? 0
        guard oldestNode <= known else {
            throw .failed(
                """
                the database belongs to a newer version of Parley (schema step \(newest), which needs nodes that know step \
                \(oldestNode); this version knows \(known))
                """)
        }
        if steps.isEmpty { return .empty }
        return steps.isSuperset(of: 1...known) ? .complete : .behind(step: newest, of: known)
    }

    /// - Throws: `unavailable` unless the database has all steps, `failed` if the program must not use it.
    package func require(_ known: Int) throws(StoreError) {
        switch try compare(with: known) {
        case .empty: throw .unavailable("the database has no tables: run `parley migrate`")
        case .behind(let step, let known):
            throw .unavailable("the database has schema step \(step) of \(known): run `parley migrate`")
        case .complete: break
        }
    }
}
