/// A message as somebody saw it: on a socket, or in the store.
struct Sighting: Hashable, Sendable {
    let thread: Int
    let epoch: String
    let seq: Int64
    /// `CLIENT.NUMBER`; short, so that a million of them need no memory of their own.
    let text: String
}
