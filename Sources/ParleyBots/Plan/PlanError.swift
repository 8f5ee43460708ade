/// Why a load plan cannot be carried out, in plain words.
package struct PlanError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
