package import ParleyModel

/// How fast a user may send over all nodes, as one node sees it: decides when it grants a send by itself and when it
/// must ask the ledger that all nodes share.
///
/// An eighth of the rate, divided by the number of nodes, is this node's own: a user who is slower than that costs no
/// call. The rest lies in the ledger's bucket, from which the node takes a few tokens at a time. Over any time *t* the
/// grants of *N* nodes are at most
///
///     burst + rate · t + N · burst / 8
///
/// as long as no more than `nodes` grant and the ledger answers: the ledger gives `burst − credit + ⅞ rate · t`, each
/// node by itself `credit + rate · t / 8N`, and it may have tokens left that it took before. From a cold start one node
/// alone gives exactly `burst + rate · t`. While the ledger is away the node keeps the whole limit by itself.
///
/// A value; times are microseconds by a clock that never goes back. The owner performs the asking.
package struct SharedRate: Hashable, Sendable {
    /// What becomes of a send.
    package enum Decision: Hashable, Sendable {
        /// It may go.
        case taken
        /// It must wait for so many microseconds; then `take` again.
        case wait(microseconds: Int64)
        /// Take so many tokens from the ledger at `ledgerRate`, and say what it answered; then `take` again.
        case ask(tokens: Int)
        /// The ledger was asked and has not answered yet; `take` again after `answered`.
        case requested
    }

    /// What the ledger said.
    package enum Reply: Hashable, Sendable {
        /// The tokens are taken.
        case taken(Int)
        case wait(microseconds: Int64)
        case away
    }

    /// How long the ledger is left alone after it was away.
    package static let pause: Int64 = 1_000_000

    /// What the ledger's bucket must be asked with; `nil`: there is no limit.
    package let sharedRate: TokenRate?
    /// What this node grants by itself at once, in tokens.
    package let credit: Int
    /// Tokens of one call.
    package let lease: Int

    /// One token of the whole limit, and of this node's own part.
    private let interval: Int64
    private let ownInterval: Int64
    private let burst: Int64

    /// When this node's own part is full again, and when the whole limit would be if only this node counted.
    private var ownFull: Int64 = 0
    private var wholeFull: Int64 = 0
    /// Tokens that the ledger has given.
    private var tokens = 0
    private var isRequesting = false
    /// Before it the ledger would refuse.
    private var refusedUntil: Int64 = .min
    /// Until then the node is on its own.
    private var awayUntil: Int64 = .min

    /// - Parameters:
    ///   - perSecond: sends per second, sustained; 0 for no limit.
    ///   - burst: sends at once; at least 1 is always possible.
    ///   - nodes: how many nodes may grant sends of one user at the same time; with more the bound is missed by an
    ///     eighth of the rate for each as many.
    package init(perSecond: Int, burst: Int, nodes: Int = 1) {
        let burst = min(max(1, burst), 1_000_000)
        self.burst = Int64(burst)
        // Rounded up: at worst a little slower than asked, never faster.
        interval = perSecond > 0 ? 1 + (1_000_000 - 1) / Int64(perSecond) : 0
        // Half of what a node may be ahead by is credit, the other half what is left of a lease.
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

    /// Asks for one send.
    package mutating func take(at now: Int64) -> Decision {
        guard interval > 0 else { return .taken }
        if tokens > 0 {
            tokens -= 1
            return granted(at: now)
        }
        if now < awayUntil {
            // What was granted before counts too, so going away is no way to a second burst.
            let wait = max(wholeFull, now) + interval - now - interval * burst
            guard wait <= 0 else { return .wait(microseconds: wait) }
            // The part of its own is in the whole.
            ownFull = now + ownInterval * Int64(credit)
            return granted(at: now)
        }
        let ownWait = max(ownFull, now) + ownInterval - now - ownInterval * Int64(credit)
        if credit > 0, ownWait <= 0 {
            ownFull = max(ownFull, now) + ownInterval
            return granted(at: now)
        }
        if isRequesting { return .requested }
        guard now >= refusedUntil else {
            let wait = refusedUntil - now
            return .wait(microseconds: credit > 0 ? min(wait, ownWait) : wait)
        }
        isRequesting = true
        return .ask(tokens: lease)
    }

    /// What the ledger said to the last `ask`; once for each.
    package mutating func answered(_ reply: Reply, at now: Int64) {
        isRequesting = false
        switch reply {
        case .taken(let count):
            tokens += max(0, count)
            refusedUntil = .min
        case .wait(let microseconds):
            refusedUntil = now + max(1, microseconds)
        case .away:
            awayUntil = now + Self.pause
        }
    }

    /// Whether a new one would grant no more: nothing was granted of late that only this node knows of, and the ledger
    /// owes no answer.
    package func isFull(at now: Int64) -> Bool { ownFull <= now && wholeFull <= now && !isRequesting }

    private mutating func granted(at now: Int64) -> Decision {
        // Never further than a full burst: what other nodes left to this one is no debt of it.
        wholeFull = min(max(wholeFull, now) + interval, now + interval * burst)
        return .taken
    }
}
