import ParleyModel
import ParleyTestContracts
import ParleyTestSupport

/// A store on PostgreSQL and one on the model, which get the same calls.
struct StorePair {
    /// A reply that the two do not agree on.
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    /// What `authorize` throws.
    struct Refusal: Error {}

    private enum Reply<Value: Equatable & Sendable>: Equatable, Sendable {
        case value(Value)
        /// Without its text.
        case error(String)
    }

    let real: any StoreUnderTest
    let model: any StoreUnderTest

    /// Makes a call on both.
    /// - Returns: the reply; `nil` for an error.
    /// - Throws: `Difference` unless both reply the same.
    @discardableResult
    func ask<Value: Equatable & Sendable>(
        _ name: @autoclosure () -> String, _ call: @Sendable (any StoreUnderTest) async throws -> Value
    ) async throws -> Value? {
        try await compare(name(), real: { try await call(real) }, model: { try await call(model) })
    }

    /// Compares the replies of two calls.
    @discardableResult
    func compare<Value: Equatable & Sendable>(
        _ name: @autoclosure () -> String, real: () async throws -> Value, model: () async throws -> Value
    ) async throws -> Value? {
        let (one, other) = (await Self.reply(real), await Self.reply(model))
        guard one == other else {
            throw Difference(description: "\(name()):\n  PostgreSQL: \(one)\n  model:      \(other)")
        }
        if case .value(let value) = one { return value }
        return nil
    }

    /// Makes a change of state on both.
    /// - Returns: the outbox entries.
    @discardableResult
    func change<Value: Equatable & Sendable>(
        _ name: @autoclosure () -> String, _ call: @Sendable (any StoreUnderTest) async throws -> StateChange<Value>
    ) async throws -> [OutboxEntry] {
        let reply = try await ask(name()) { store in
            let change = try await call(store)
            return Changed(value: change.value, outbox: change.outbox)
        }
        return reply?.outbox ?? []
    }

    private struct Changed<Value: Equatable & Sendable>: Equatable, Sendable {
        let value: Value
        let outbox: [OutboxEntry]
    }

    private static func reply<Value: Equatable & Sendable>(
        _ call: () async throws -> Value
    ) async -> Reply<Value> {
        do {
            return .value(try await call())
        } catch let error as StoreError {
            return .error(String("\(error)".prefix { $0 != "(" }))
        } catch {
            return .error("\(error)")
        }
    }
}
