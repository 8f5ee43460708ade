/// A load test: how many virtual users do what for how long.
///
/// Everything is bounded (`violation`): the checker's memory grows with the messages sent, by some 60 bytes for each.
package struct LoadPlan: Codable, Hashable, Sendable {
    /// The distribution of sends over time.
    package enum Arrivals: String, CaseIterable, Codable, Hashable, Sendable {
        /// At equal intervals.
        case even
        /// As a Poisson process, like independent people.
        case random
    }

    package static let maximumBots = 1_000_000
    package static let maximumWorkers = 32
    package static let maximumMemberships = 5_000_000
    package static let maximumMessages = 20_000_000.0
    /// The length of the tag at the start of each text.
    package static let minimumTextBytes = MessageTag.textBytes

    /// Virtual users, one socket each.
    package var bots = 100
    package var threads = 20
    /// Members per thread; the mean if `memberSkew` is not 0. A bot may be in several threads, or in none.
    package var members = 5
    /// Skew of thread sizes: 0 for equal sizes, otherwise the exponent of Zipf's law.
    package var memberSkew = 0.0
    /// Skew of thread activity: 0 for equal activity, otherwise the exponent of Zipf's law.
    package var activitySkew = 0.0
    /// Messages per second of all bots together.
    package var rate = 50.0
    package var arrivals = Arrivals.random
    /// Mean seconds between two messages of a sending bot; 0 uses `rate`. Takes precedence over `rate`.
    package var thinkTime = 0.0
    /// Seconds until the full rate is reached.
    package var ramp = 0.0
    /// Additional messages at one instant, every `burstEvery` seconds.
    package var burst = 0
    package var burstEvery = 5.0
    /// Bytes of a text, uniformly distributed.
    package var textBytes = 80...80
    /// Share of bots that use the classic dialect.
    package var classicShare = 0.0
    /// Share of bots that offer permessage-deflate.
    package var compressShare = 0.0
    /// Share of sends that request the second ack, when the message is stored.
    package var storedShare = 0.5
    /// Share of bots that never send.
    package var readersShare = 0.0
    /// Typing indicators of other members, per send.
    package var typingShare = 0.0
    /// Read marks of members, per send.
    package var readShare = 0.0
    /// Share of bots that read slowly.
    package var slowShare = 0.0
    /// Reading speed of slow readers.
    package var slowBytesPerSecond = 1000
    /// Sockets per second that are closed by their bots and reopened.
    package var churn = 0.0
    /// Seconds from the start of the load to a storm, in which sockets are cut all at once.
    package var stormAt: Double?
    package var stormShare = 1.0
    /// Sockets opened per second, of all bots together.
    package var connectRate = 1000.0
    /// Seconds of measured load.
    package var duration = 10.0
    /// Seconds of load before that, which are checked but not measured.
    package var warmUp = 2.0
    /// Maximum seconds for the cluster to settle at the end.
    package var settle = 30.0
    package var seed: UInt64 = 1
    /// Number of source addresses, from 127.0.0.2 on, used in turn; 0 leaves the choice to the system.
    package var sources = 0
    /// Maximum number of users whose unread counts are compared.
    package var unreadSample = 500
    /// Accepts that the log starts over (Redis was flushed deliberately): messages that were not stored may be lost.
    package var mayRollBack = false
    /// Bots log in with passwords before the load, instead of using the API key.
    package var logsIn = false
    /// Number of worker processes; more are used if the open files of one are too few for its sockets.
    package var workers = 1
    /// Event loop threads per process.
    package var loops = 1

    package init() {}

    /// Messages per second of all bots together, without bursts.
    package var totalRate: Double {
        thinkTime > 0 ? Double(bots) * (1 - readersShare) / thinkTime : rate
    }

    /// The number of scheduled sends.
    package var expectedMessages: Double {
        (duration + warmUp) * (totalRate + (burst > 0 ? Double(burst) / burstEvery : 0))
    }

    /// The first invalid field; `nil` if the plan is valid.
    package var violation: PlanError? {
        let shares: KeyValuePairs = [
            "classic-share": classicShare, "compress-share": compressShare, "stored-share": storedShare,
            "readers-share": readersShare,
            "typing-share": typingShare, "read-share": readShare, "slow-share": slowShare, "storm-share": stormShare,
        ]
        for (name, share) in shares where !(0...1).contains(share) {
            return PlanError("\(name) is \(share); allowed is 0 to 1")
        }
        let positive: KeyValuePairs = [
            "rate": rate, "think-time": thinkTime, "ramp": ramp, "churn": churn, "duration": duration,
            "warm-up": warmUp, "settle": settle,
            "member-skew": memberSkew, "activity-skew": activitySkew, "storm-at": stormAt ?? 0,
        ]
        for (name, value) in positive where !(0...1e6).contains(value) {
            return PlanError("\(name) is \(value); allowed is 0 to 1000000")
        }
        return countInvalid
    }

    private var countInvalid: PlanError? {
        let counts: [(name: String, value: Int, allowed: ClosedRange<Int>)] = [
            ("bots", bots, 1...Self.maximumBots), ("threads", threads, 0...Self.maximumBots),
            ("members", members, 1...max(1, bots)), ("burst", burst, 0...100_000), ("sources", sources, 0...250),
            ("slow-bytes", slowBytesPerSecond, 1...1_000_000), ("loops", loops, 1...64),
            ("workers", workers, 1...Self.maximumWorkers),
            ("unread-sample", unreadSample, 0...Self.maximumBots),
            ("text-bytes", textBytes.lowerBound, Self.minimumTextBytes...4096),
            ("text-bytes", textBytes.upperBound, Self.minimumTextBytes...4096),
        ]
        for count in counts where !count.allowed.contains(count.value) {
            return PlanError(
                "\(count.name) is \(count.value); allowed is \(count.allowed.lowerBound) to \(count.allowed.upperBound)"
            )
        }
        guard burstEvery >= 0.01 else { return PlanError("burst-every is \(burstEvery); allowed is at least 0.01") }
        guard (0.1...100_000).contains(connectRate) else {
            return PlanError("connect-rate is \(connectRate); allowed is 0.1 to 100000")
        }
        guard threads * members <= Self.maximumMemberships else {
            return PlanError("threads × members is \(threads * members); allowed is \(Self.maximumMemberships)")
        }
        guard expectedMessages <= Self.maximumMessages else {
            return PlanError(
                "the plan has \(Int(expectedMessages)) messages; allowed is \(Int(Self.maximumMessages)), since all are kept"
            )
        }
        return nil
    }
}

/// The reason that a load plan is invalid, as a text for the user.
package struct PlanError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
