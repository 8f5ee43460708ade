import Synchronization

/// A thing that only the first who asks gets; owned by a lock.
final class Once<Thing: Sendable>: Sendable {
    private let thing: Mutex<Thing?>

    init(_ thing: Thing) {
        self.thing = Mutex(thing)
    }

    func take() -> Thing? {
        thing.withLock { thing in
            defer { thing = nil }
            return thing
        }
    }
}
