/// An error as WebDriver reports it (W3C WebDriver §6.6).
package struct WebDriverError: Error, CustomStringConvertible {
    /// Such as `no such element`.
    package let code: String
    package let message: String

    package var description: String { "\(code): \(message.prefix(500))" }

    /// Whether the page may only not be there yet, so that trying again makes sense.
    var isPassing: Bool {
        [
            "no such element", "element not interactable", "element click intercepted", "stale element reference",
            "invalid element state",
        ].contains(code)
    }
}
