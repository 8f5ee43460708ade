import Foundation

/// Names that no stranger gets, in whatever width or case: not by signing up, by a JWT, or by a session of Django.
package struct ReservedNames: Hashable, Sendable {
    private let folded: Set<String>

    package init(_ names: Set<String> = []) {
        folded = Set(names.map(Self.fold))
    }

    package func contains(_ name: String) -> Bool {
        !folded.isEmpty && folded.contains(Self.fold(name))
    }

    /// One text for all names that look alike by width (NFKC) or case; through upper case, as `ß` and `ſ` fold.
    private static func fold(_ name: String) -> String {
        name.precomposedStringWithCompatibilityMapping.uppercased().lowercased()
            .precomposedStringWithCompatibilityMapping
    }
}
