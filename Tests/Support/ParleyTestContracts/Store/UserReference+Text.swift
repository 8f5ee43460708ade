package import ParleyModel

/// Tests write references as clients do, by the standard form of ids.
extension UserReference: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) {
        self.init(text, idForm: .standard)
    }
}
