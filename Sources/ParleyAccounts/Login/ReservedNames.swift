import Foundation

/// Operators' names, which cannot be taken by signing up, by a JWT or by a Django session, in any width or case.
package struct ReservedNames: Hashable, Sendable {
    private let folded: Set<String>

    package init(_ names: Set<String> = []) {
        folded = Set(names.map(Self.fold))
    }

    /// Whether the name is reserved, in any width or case.
    package func contains(_ name: String) -> Bool {
        !folded.isEmpty && folded.contains(Self.fold(name))
    }

    /// One form for all names that differ only in width (NFKC) or case; by way of upper case, since `ß` and `ſ` fold
    /// there.
    private static func fold(_ name: String) -> String {
        name.precomposedStringWithCompatibilityMapping.uppercased().lowercased()
            .precomposedStringWithCompatibilityMapping
    }
}
