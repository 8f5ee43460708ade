/// An error as reported by WebDriver (W3C WebDriver §6.6).
package struct WebDriverError: Error, CustomStringConvertible {
    /// For example `no such element`.
    package let code: String
    package let message: String

    package var description: String { "\(code): \(message.prefix(500))" }

    /// Whether the page may just not be ready yet, so that a retry makes sense.
    var isPassing: Bool {
        [
            "no such element", "element not interactable", "element click intercepted", "stale element reference",
            "invalid element state",
        ].contains(code)
    }
}
