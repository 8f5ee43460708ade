import Foundation

/// A value that a lock guards.
///
/// `Mutex` of the module Synchronization would require macOS 15 and iOS 18.
///
/// The compiler cannot check that this class is `Sendable`. It is: only `withLock` accesses `value`, which is private,
/// and only while it holds the lock. What a closure takes out of the value is `Sendable`, like the value itself.
package final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) { self.value = value }

    /// Calls a closure with exclusive access to the value.
    ///
    /// The closure must neither wait nor use the same lock.
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
