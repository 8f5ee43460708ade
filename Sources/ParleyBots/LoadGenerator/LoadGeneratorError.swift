/// Why a load generator failed, as a text for the user.
package struct LoadGeneratorError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
}
