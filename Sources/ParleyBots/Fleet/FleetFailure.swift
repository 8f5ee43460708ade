/// Why a fleet could not do its work, in plain words.
package struct FleetFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
}
