import ArgumentParser
import Foundation
import ParleyBots
import ParleyJSON
import ParleyModel

/// The load, by flags over a plan file over a preset.
struct PlanFlags: ParsableArguments {
    @Option(help: "smoke, chat, fanout, idle, storm or soak (default: smoke).")
    var preset: String?
    @Option(name: .customLong("plan"), help: "A JSON file with a plan; its fields are named as these flags.")
    var planFile: String?

    @Option(help: "Virtual users, one socket each.")
    var bots: Int?
    @Option(help: "Threads.")
    var threads: Int?
    @Option(help: "Members of a thread, on average.")
    var members: Int?
    @Option(help: "How sizes of threads differ: 0 not at all, or the exponent of Zipf's law.")
    var memberSkew: Double?
    @Option(help: "How the activity of threads differs: 0 not at all, or the exponent of Zipf's law.")
    var activitySkew: Double?
    @Option(help: "Messages a second, all bots together.")
    var rate: Double?
    @Option(help: "Instead of the rate: seconds between two messages of a bot that sends, on average.")
    var thinkTime: Double?
    @Option(help: "When sends are due: even (equal distances) or random (Poisson).")
    var arrivals: String?
    @Option(help: "Seconds until the rate is reached.")
    var ramp: Double?
    @Option(help: "Messages more at one instant.")
    var burst: Int?
    @Option(help: "Seconds between bursts.")
    var burstEvery: Double?
    @Option(help: "Bytes of a text, as 80 or 40-200.")
    var textBytes: String?
    @Option(help: "Part of the bots that speak the classic dialect, 0 to 1.")
    var classicShare: Double?
    @Option(help: "Part of the bots that offer permessage-deflate.")
    var compressShare: Double?
    @Option(help: "Part of the sends that ask for the ack that they are stored.")
    var storedShare: Double?
    @Option(help: "Part of the bots that never send.")
    var readersShare: Double?
    @Option(help: "For each send, how often another member types.")
    var typingShare: Double?
    @Option(help: "For each send, how often a member moves its read cursor.")
    var readShare: Double?
    @Option(help: "Part of the bots that read slowly.")
    var slowShare: Double?
    @Option(help: "Bytes a second that a slow reader takes.")
    var slowBytes: Int?
    @Option(help: "Sockets a second that bots cut and open again.")
    var churn: Double?
    @Option(help: "Seconds from the start of the load to the cut of many sockets at once.")
    var stormAt: Double?
    @Option(help: "Part of the sockets that a storm cuts.")
    var stormShare: Double?
    @Option(help: "Sockets opened a second.")
    var connectRate: Double?
    @Option(help: "Seconds that are measured.")
    var duration: Double?
    @Option(help: "Seconds of load before, checked and not measured.")
    var warmUp: Double?
    @Option(help: "Seconds the cluster has to come to rest at the end.")
    var settle: Double?
    @Option(help: "The seed of everything random.")
    var seed: Int?
    @Option(help: "Addresses 127.0.0.2 and on that sockets come from (loopback only).")
    var sources: Int?
    @Option(help: "The most users whose unread counts are compared.")
    var unreadSample: Int?
    @Option(help: "Processes of this tool; more are taken if one may not open as many sockets.")
    var workers: Int?
    @Option(help: "Threads of each process.")
    var loops: Int?
    @Flag(help: "The log may start over: Redis is flushed on purpose.")
    var mayRollBack = false
    @Flag(help: "Bots log in with passwords, before the load, instead of using the API key.")
    var login = false

    func plan() throws(PlanError) -> LoadPlan {
        var base: Preset? = .smoke
        if let preset {
            guard let known = Preset(rawValue: preset) else { throw Preset.unknown(preset) }
            base = known
        }
        var result = base?.plan ?? LoadPlan()
        if let planFile {
            guard let data = FileManager.default.contents(atPath: planFile) else {
                throw PlanError("the plan \(planFile) cannot be read")
            }
            result = try LoadPlan(file: Array(data), preset: preset == nil ? nil : base)
        }
        for (name, value) in given { if let value { try result.set(name, value) } }
        // What a flag says goes before a file, the other way to say it included.
        if rate != nil, thinkTime == nil { result.thinkTime = 0 }
        if mayRollBack { result.mayRollBack = true }
        if login { result.logsIn = true }
        if let violation = result.violation { throw violation }
        return result
    }

    private var given: KeyValuePairs<String, JSONTree?> {
        func count(_ value: Int?) -> JSONTree? { value.map { .integer(Int64($0)) } }
        func number(_ value: Double?) -> JSONTree? { value.map { .number($0) } }
        func text(_ value: String?) -> JSONTree? { value.map { .text($0) } }
        return [
            "bots": count(bots), "threads": count(threads), "members": count(members),
            "member-skew": number(memberSkew), "activity-skew": number(activitySkew), "rate": number(rate),
            "think-time": number(thinkTime), "arrivals": text(arrivals), "ramp": number(ramp), "burst": count(burst),
            "burst-every": number(burstEvery),
            "text-bytes": text(textBytes), "classic-share": number(classicShare),
            "compress-share": number(compressShare), "stored-share": number(storedShare),
            "readers-share": number(readersShare), "typing-share": number(typingShare),
            "read-share": number(readShare), "slow-share": number(slowShare), "slow-bytes": count(slowBytes),
            "churn": number(churn), "storm-at": number(stormAt), "storm-share": number(stormShare),
            "connect-rate": number(connectRate), "duration": number(duration), "warm-up": number(warmUp),
            "settle": number(settle), "seed": count(seed), "sources": count(sources),
            "unread-sample": count(unreadSample), "workers": count(workers), "loops": count(loops),
        ]
    }
}
