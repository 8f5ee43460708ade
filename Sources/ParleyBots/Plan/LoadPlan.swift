/// How many virtual users do what for how long.
///
/// Everything is bounded (`flaw`): what the checker keeps grows with the messages sent, by some 60 bytes for each.
package struct LoadPlan: Codable, Hashable, Sendable {
    /// When sends are due.
    package enum Arrivals: String, CaseIterable, Codable, Hashable, Sendable {
        /// At equal distances.
        case even
        /// As a Poisson process, as independent people do.
        case random
    }

    package static let maximumBots = 1_000_000
    package static let maximumWorkers = 32
    package static let maximumMemberships = 5_000_000
    package static let maximumMessages = 20_000_000.0
    /// The mark that tells the bots' messages apart takes as many bytes of each text.
    package static let minimumTextBytes = MessageTag.textBytes

    /// Virtual users, one socket each.
    package var bots = 100
    package var threads = 20
    /// Members of a thread; the mean if `memberSkew` is not 0. A bot may be in several threads, or in none.
    package var members = 5
    /// How the sizes of threads differ: 0 not at all, else the exponent of Zipf's law.
    package var memberSkew = 0.0
    /// How the activity of threads differs: 0 not at all, else the exponent of Zipf's law.
    package var activitySkew = 0.0
    /// Messages a second, all bots together.
    package var rate = 50.0
    package var arrivals = Arrivals.random
    /// Seconds between two messages of a bot that sends, on average; 0: as `rate` says. Goes before `rate`.
    package var thinkTime = 0.0
    /// So many seconds pass until the rate is reached.
    package var ramp = 0.0
    /// So many messages more at one instant, every `burstEvery` seconds.
    package var burst = 0
    package var burstEvery = 5.0
    /// Bytes of a text, evenly spread between the two.
    package var textBytes = 80...80
    /// The part of the bots that speak the classic dialect.
    package var classicShare = 0.0
    /// The part of the bots that offer permessage-deflate.
    package var compressShare = 0.0
    /// The part of the sends that ask for the second ack, when the message is stored.
    package var storedShare = 0.5
    /// The part of the bots that never send.
    package var readersShare = 0.0
    /// For each send, how often another member shows that it types.
    package var typingShare = 0.0
    /// For each send, how often a member moves its read cursor.
    package var readShare = 0.0
    /// The part of the bots that read slowly.
    package var slowShare = 0.0
    /// What a slow reader takes.
    package var slowBytesPerSecond = 1000
    /// Sockets a second that are closed by their bots and opened again.
    package var churn = 0.0
    /// Seconds from the beginning of the load to a storm, in which sockets are cut all at once.
    package var stormAt: Double?
    package var stormShare = 1.0
    /// Sockets opened a second, all bots together.
    package var connectRate = 1000.0
    /// Seconds of load that are measured.
    package var duration = 10.0
    /// Seconds of load before, which are checked and not measured.
    package var warmUp = 2.0
    /// How many seconds the cluster has at the end to come to rest.
    package var settle = 30.0
    package var seed: UInt64 = 1
    /// Addresses 127.0.0.2 and on that sockets come from, in turn; 0: the system chooses.
    package var sources = 0
    /// The most users whose unread counts are compared.
    package var unreadSample = 500
    /// The log may start over (Redis was flushed on purpose): what was not stored may be gone.
    package var mayRollBack = false
    /// Bots log in with passwords, each once and before the load, instead of coming with the API key.
    package var logsIn = false
    /// Processes that the bots are spread over; more are taken if the open files of one are too few for its sockets.
    package var workers = 1
    /// Threads that drive the bots, of each process.
    package var loops = 1

    package init() {}

    /// Messages a second, all bots together, bursts aside.
    package var totalRate: Double {
        thinkTime > 0 ? Double(bots) * (1 - readersShare) / thinkTime : rate
    }

    /// All sends that are scheduled.
    package var expectedMessages: Double {
        (duration + warmUp) * (totalRate + (burst > 0 ? Double(burst) / burstEvery : 0))
    }

    /// The first thing that cannot be; `nil` if all can.
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
