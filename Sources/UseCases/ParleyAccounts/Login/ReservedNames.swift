package import ParleyModel

/// Operators' names, which cannot be taken by signing up, by a JWT or by a Django session, in any width or case.
package struct ReservedNames: Hashable, Sendable {
    private let folded: Set<String>
    private let looks: Set<NameLook>

    package init(_ names: Set<String> = []) {
        folded = Set(names.map(NameFold.folded))
        looks = Set(names.map { NameLook(of: $0) })
    }

    /// Whether the name is reserved, in any width or case.
    package func contains(_ name: String) -> Bool {
        !folded.isEmpty && folded.contains(NameFold.folded(name))
    }

    /// Whether people would take a name for a reserved one.
    package func areTaken(for look: NameLook) -> Bool { looks.contains { $0.isTaken(for: look) } }
}
