import Crypto
import ParleyModel
import Synchronization

/// Remembers for a moment which passwords were right, so that a client that sends `Basic` with every request does not
/// cost a hash each time.
///
/// Kept is an HMAC of name, password and stored hash under a random key of this process: a dump tells nothing, and a
/// changed password is unknown at once. Owned by a mutex.
package final class VerifiedPasswords: Sendable {
    /// The longest time that anything is remembered.
    package static let maximumLifetime: Duration = .seconds(60)

    private let key = SymmetricKey(size: .bits256)
    private let memory: Mutex<TTLCache<[UInt8], Bool>>

    /// - Parameter lifetime: at most `maximumLifetime`; 0: nothing is remembered.
    package init(lifetime: Duration, capacity: Int) {
        let lifetime = min(lifetime, Self.maximumLifetime)
        memory = Mutex(TTLCache(lifetime: lifetime.milliseconds, capacity: capacity))
    }

    package func contains(_ name: String, _ password: String, stored: String, at now: Int64) -> Bool {
        let mark = mark(name, password, stored)
        return memory.withLock { $0.value(for: mark, at: now) } ?? false
    }

    package func insert(_ name: String, _ password: String, stored: String, at now: Int64) {
        let mark = mark(name, password, stored)
        memory.withLock { $0.store(true, for: mark, at: now) }
    }

    private func mark(_ parts: String...) -> [UInt8] {
        var hmac = HMAC<SHA256>(key: key)
        for part in parts {
            // Each part after its length: moving a letter from one to the next makes another text.
            hmac.update(data: Array("\(part.utf8.count):\(part)".utf8))
        }
        return Array(hmac.finalize())
    }
}
