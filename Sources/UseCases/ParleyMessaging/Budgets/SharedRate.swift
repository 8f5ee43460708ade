package import ParleyModel

/// One node's share of a user's cluster-wide send rate. It decides which sends the node grants locally, and when it needs
/// tokens from the bucket in the shared store.
///
/// An eighth of the rate, divided by the number of nodes, is local: a user below it costs no call. The shared bucket has the
/// rest, and the node takes a few tokens at a time from it. Over any time *t*, the grants of *N* nodes are at most
///
/// burst + rate · t + N · burst / 8
///
/// as long as no more than `nodes` nodes grant sends and the store responds. The bucket gives `burst − credit + ⅞ rate · t`,
/// each node locally `credit + rate · t / 8N`, and a node may have tokens that it took before. From a cold start, one node
/// alone gives exactly `burst + rate · t`. While the store is unavailable, the node applies the whole limit locally.
///
/// A value type. Times are in microseconds of a monotonic clock. The owner calls the store.
package struct SharedRate: Hashable, Sendable {
    /// The decision about one send.
    package enum Decision: Hashable, Sendable {
        /// The send is granted.
        case taken
        /// Call `take` again after this many microseconds.
        case wait(microseconds: Int64)
        /// Take this many tokens from the shared bucket at `sharedRate`, pass the result to `answered`, and call `take` again.
        case request(tokens: Int)
        /// A call to the store is pending. Call `take` again a moment later.
        case requested
    }

    /// The result of a call to the store.
    package enum Reply: Hashable, Sendable {
        /// The tokens were taken.
        case taken(Int)
        case wait(microseconds: Int64)
        case unavailable
    }

    /// The time for which the store is not called after it was unavailable, in microseconds.
    package static let pause: Int64 = 1_000_000
    /// The time without a reply after which the store counts as unavailable, in microseconds.
    package static let replyTimeout: Int64 = 250_000

    /// The rate and burst of the shared bucket; `nil` means no limit.
    package let sharedRate: TokenRate?
    /// The burst that this node grants locally, in tokens.
    package let credit: Int
    /// The number of tokens requested per call.
    package let lease: Int

    /// The microseconds per token of the whole limit, and of the local part.
    private let interval: Int64
    private let ownInterval: Int64
    private let burst: Int64

    /// The times at which the local part will be full again, and at which the whole limit would be if this were the only node.
    private var ownFull: Int64 = 0
    private var wholeFull: Int64 = 0
    /// Unused tokens from the shared bucket.
    private var tokens = 0
    /// The time at which the pending call was made; `nil` if none is pending.
    private var requested: Int64?
    /// The time until which the store would refuse.
    private var refusedUntil: Int64 = .min
    /// The time until which the node applies the limit locally.
    private var awayUntil: Int64 = .min

    /// - Parameters:
    ///   - perSecond: The sustained sends per second; 0 for no limit.
    ///   - burst: The maximum burst. At least 1 is always possible.
    ///   - nodes: The number of nodes that may grant sends of one user at the same time. Each further multiple of it exceeds
    ///     the bound by an eighth of the rate.
    package init(perSecond: Int, burst: Int, nodes: Int = 1) {
        let burst = min(max(1, burst), 1_000_000)
        self.burst = Int64(burst)
        // The interval is rounded up, so that the rate is at worst slightly lower than configured, and never higher.
        interval = perSecond > 0 ? 1 + (1_000_000 - 1) / Int64(perSecond) : 0
        // Half of a node's possible lead is credit, and the other half is the rest of a lease.
        credit = burst / 8 - burst / 16
        lease = max(1, burst / 16)
        ownInterval = interval * 8 * Int64(max(1, nodes))
        guard interval > 0 else {
            sharedRate = nil
            return
        }
        sharedRate =
            credit > 0
            ? TokenRate(interval: 1 + (interval * 8 - 1) / 7, burst: burst - credit)
            : TokenRate(interval: interval, burst: burst)
    }

    /// Takes one send.
    package mutating func take(at now: Int64) -> Decision {
        guard interval > 0 else { return .taken }
        if tokens > 0 {
            tokens -= 1
            return granted(at: now)
        }
        if let requested, now - requested >= Self.replyTimeout { answered(.unavailable, at: now) }
        if now < awayUntil {
            // Earlier grants count as well, so that an outage of the store gives no second burst.
            let wait = max(wholeFull, now) + interval - now - interval * burst
            guard wait <= 0 else { return .wait(microseconds: wait) }
            // The local part is included in the whole limit.
            ownFull = now + ownInterval * Int64(credit)
            return granted(at: now)
        }
        let ownWait = max(ownFull, now) + ownInterval - now - ownInterval * Int64(credit)
        if credit > 0, ownWait <= 0 {
            ownFull = max(ownFull, now) + ownInterval
            return granted(at: now)
        }
        if requested != nil { return .requested }
        guard now >= refusedUntil else {
            let wait = refusedUntil - now
            return .wait(microseconds: credit > 0 ? min(wait, ownWait) : wait)
        }
        requested = now
        return .request(tokens: lease)
    }

    /// Reports the result of a `request`. It may arrive later than `replyTimeout`.
    package mutating func answered(_ reply: Reply, at now: Int64) {
        requested = nil
        switch reply {
        case .taken(let count):
            // More than a lease would exceed the bound, since a late reply can add to the reply to a later request.
            tokens = min(tokens + max(0, count), lease)
            refusedUntil = .min
        case .wait(let microseconds):
            refusedUntil = now + max(1, microseconds)
        case .unavailable:
            awayUntil = now + Self.pause
        }
    }

    /// Whether a new value would not grant more, because this node has no recent local grants and no call is pending.
    package func isFull(at now: Int64) -> Bool {
        ownFull <= now && wholeFull <= now && now - (requested ?? .min / 2) >= Self.replyTimeout
    }

    private mutating func granted(at now: Int64) -> Decision {
        // The debt is a full burst at most, since this node does not owe tokens that other nodes left unused.
        wholeFull = min(max(wholeFull, now) + interval, now + interval * burst)
        return .taken
    }
}
