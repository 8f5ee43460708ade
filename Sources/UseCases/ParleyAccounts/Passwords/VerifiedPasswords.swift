import Crypto
import ParleyConcurrency
import ParleyModel
import Synchronization

/// Caches which passwords were right, so that a client that sends `Basic` with every request does not cost a hash each
/// time.
///
/// It stores an HMAC of name, password and stored hash under a random key of this process: a memory dump reveals
/// nothing, and a changed password misses at once. Protected by a mutex.
package final class VerifiedPasswords: Sendable {
    /// Maximum cache lifetime.
    package static let maximumLifetime: Duration = .seconds(60)

    private let key = SymmetricKey(size: .bits256)
    private let memory: Mutex<TTLCache<[UInt8], Bool>>

    /// - Parameter lifetime: at most `maximumLifetime`; 0 disables the cache.
    package init(lifetime: Duration, capacity: Int) {
        let lifetime = min(lifetime, Self.maximumLifetime)
        memory = Mutex(TTLCache(lifetime: lifetime.milliseconds, capacity: capacity))
    }

    /// Whether the password was verified against `stored` within the lifetime. `now` is in Unix milliseconds.
    package func contains(_ name: String, _ password: String, stored: String, at now: Int64) -> Bool {
        let mark = mark(name, password, stored)
        return memory.withLock { $0.value(for: mark, at: now) } ?? false
    }

    /// Records a password that was verified against `stored`.
    package func insert(_ name: String, _ password: String, stored: String, at now: Int64) {
        let mark = mark(name, password, stored)
        memory.withLock { $0.store(true, for: mark, at: now) }
    }

    private func mark(_ parts: String...) -> [UInt8] {
        var hmac = HMAC<SHA256>(key: key)
        for part in parts {
            // Each part is preceded by its length, so that shifting a letter between parts gives another input.
            hmac.update(data: Array("\(part.utf8.count):\(part)".utf8))
        }
        return Array(hmac.finalize())
    }
}
