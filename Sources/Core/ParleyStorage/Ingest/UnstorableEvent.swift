/// The reason why an event cannot be stored although the database works. The text is stored with the rejected entry and
/// never quotes the event.
package struct UnstorableEvent: Error, Hashable, Sendable {
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}
