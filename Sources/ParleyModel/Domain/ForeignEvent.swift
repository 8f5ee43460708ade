/// An event that a program outside Parley, such as Django's `group_send`, published in a thread's group.
///
/// It is delivered unchanged to connected members. It has no seq, is not stored, and is lost if nobody listens.
package struct ForeignEvent: Hashable, Sendable {
    /// A JSON object in UTF-8, delivered to clients unchanged.
    package let json: [UInt8]

    package init(json: [UInt8]) {
        self.json = json
    }
}
