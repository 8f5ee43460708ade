/// Why a fleet could not do its work, in plain words.
package struct LoadGeneratorError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
}
