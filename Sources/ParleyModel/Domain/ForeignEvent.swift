/// What a program beside Parley, such as Django's `group_send`, has said in a thread's group.
///
/// Shown to whoever is connected, as it is: it has no seq, is not stored, and is lost if nobody listens.
package struct ForeignEvent: Hashable, Sendable {
    /// A JSON object, UTF-8, as clients are to see it.
    package let json: [UInt8]

    package init(json: [UInt8]) {
        self.json = json
    }
}
