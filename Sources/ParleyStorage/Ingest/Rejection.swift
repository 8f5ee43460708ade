/// Why an event cannot be stored although the database is well; the text becomes the reason of the reject. It never
/// quotes the event.
package struct Rejection: Error, Hashable, Sendable {
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}
