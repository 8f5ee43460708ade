import Synchronization

/// A flag for each Redis host, set by its owner and read from any thread without waiting.
package final class HostFlags: Sendable {
    private final class Flag: Sendable {
        let value = Atomic<Bool>(false)
    }

    private let flags: [Flag]

    package init(count: Int) {
        flags = (0..<count).map { _ in Flag() }
    }

    package subscript(host: Int) -> Bool { flags[host].value.load(ordering: .acquiring) }

    /// Clears a flag.
    /// - Returns: Whether it was set.
    package func take(_ host: Int) -> Bool { flags[host].value.exchange(false, ordering: .acquiringAndReleasing) }

    package func set(_ host: Int, _ value: Bool) {
        flags[host].value.store(value, ordering: .releasing)
    }
}
