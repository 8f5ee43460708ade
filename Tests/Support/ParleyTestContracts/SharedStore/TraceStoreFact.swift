package import ParleyModel
import Testing

/// The contract of `TraceStore`. Each fact gets a state of its own, with one store per node.
package enum TraceStoreFact: String, CaseIterable, Sendable {
    case stampsOfAnyNodeAreVisibleToAll
    case messagesAreIndependent
    case anUnknownMessageHasNoStamps
    case stampsOfAMessageAreBounded

    /// - Parameters:
    ///   - stores: one per node; at least one.
    ///   - mostStamps: the maximum number of stamps per message.
    package func check(_ stores: [any TraceStore], mostStamps: Int) async throws {
        let (first, last) = (stores[0], stores[stores.count - 1])
        let (one, two) = (MessageID(trusted: "one"), MessageID(trusted: "two"))
        let now = WallClock.systemMicroseconds()
        let read = TraceStamp(.read, at: "gateway-1", microseconds: now)
        let flushed = TraceStamp(.flushed, at: "gateway_2.b", microseconds: now + 5, sockets: 12)
        switch self {
        case .stampsOfAnyNodeAreVisibleToAll:
            await first.add([read], of: one)
            await last.add([flushed], of: one)
            for store in stores {
                try #require(Set(try await store.stamps(of: one)) == [read, flushed], "both stamps")
            }
        case .messagesAreIndependent:
            await first.add([read], of: one)
            await first.add([flushed], of: two)
            try #require(try await last.stamps(of: one) == [read], "of the one")
            try #require(try await last.stamps(of: two) == [flushed], "of the other")
        case .anUnknownMessageHasNoStamps:
            await first.add([], of: one)
            try #require(try await last.stamps(of: one).isEmpty, "no stamps")
        case .stampsOfAMessageAreBounded:
            for _ in 0..<3 { await first.add(Array(repeating: read, count: mostStamps / 2), of: one) }
            try #require(try await last.stamps(of: one).count == mostStamps, "no more than \(mostStamps)")
        }
    }
}
