/// Why a load plan is invalid, as a text for the user.
package struct PlanError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
