package import ParleyModel

/// Tests write the names of guests as texts.
extension NameLook: ExpressibleByStringLiteral {
    package init(stringLiteral name: String) {
        self = NameLook.ofContract(name)
    }
}
