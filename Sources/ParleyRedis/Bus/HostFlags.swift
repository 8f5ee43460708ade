import Synchronization

/// A flag for each Redis host, set by its owner and read from any thread without waiting.
final class HostFlags: Sendable {
    private final class Flag: Sendable {
        let value = Atomic<Bool>(false)
    }

    private let flags: [Flag]

    init(count: Int) {
        flags = (0..<count).map { _ in Flag() }
    }

    subscript(host: Int) -> Bool { flags[host].value.load(ordering: .acquiring) }

    /// Clears a flag.
    /// - Returns: whether it was set.
    func take(_ host: Int) -> Bool { flags[host].value.exchange(false, ordering: .acquiringAndReleasing) }

    func set(_ host: Int, _ value: Bool) {
        flags[host].value.store(value, ordering: .releasing)
    }
}
