import ArgumentParser
import Foundation
import ParleyBots
import ParleyJSON

/// The load: flags override a plan file, which overrides a preset.
struct PlanFlags: ParsableArguments {
    @Option(help: "Preset: smoke, chat, fanout, idle, storm or soak (default: smoke).")
    var preset: String?
    @Option(name: .customLong("plan"), help: "JSON file with a plan, whose fields have the names of these flags.")
    var planFile: String?

    @Option(help: "Virtual users, with one socket each.")
    var bots: Int?
    @Option(help: "Number of threads.")
    var threads: Int?
    @Option(help: "Mean members per thread.")
    var members: Int?
    @Option(help: "Skew of thread sizes: 0 for none, or the exponent of Zipf's law.")
    var memberSkew: Double?
    @Option(help: "Skew of thread activity: 0 for none, or the exponent of Zipf's law.")
    var activitySkew: Double?
    @Option(help: "Total messages per second of all bots.")
    var rate: Double?
    @Option(help: "Mean seconds between two messages of a sending bot, instead of --rate.")
    var thinkTime: Double?
    @Option(help: "Arrival process of sends: even (equal intervals) or random (Poisson).")
    var arrivals: String?
    @Option(help: "Ramp-up time until the full rate, in seconds.")
    var ramp: Double?
    @Option(help: "Additional messages in each burst.")
    var burst: Int?
    @Option(help: "Seconds between bursts.")
    var burstEvery: Double?
    @Option(help: "Bytes per text: a number or a range, e.g. 80 or 40-200.")
    var textBytes: String?
    @Option(help: "Fraction of bots that use the classic dialect, 0 to 1.")
    var classicShare: Double?
    @Option(help: "Fraction of bots that offer permessage-deflate.")
    var compressShare: Double?
    @Option(help: "Fraction of sends that request the stored ack.")
    var storedShare: Double?
    @Option(help: "Fraction of bots that never send.")
    var readersShare: Double?
    @Option(help: "Typing notifications of other members per send.")
    var typingShare: Double?
    @Option(help: "Read marks of members per send.")
    var readShare: Double?
    @Option(help: "Fraction of bots that read slowly.")
    var slowShare: Double?
    @Option(help: "Bytes per second that a slow bot reads.")
    var slowBytes: Int?
    @Option(help: "Sockets per second that are cut and reopened.")
    var churn: Double?
    @Option(help: "Seconds from the start of the load to a storm, in which many sockets are cut simultaneously.")
    var stormAt: Double?
    @Option(help: "Fraction of sockets that a storm cuts.")
    var stormShare: Double?
    @Option(help: "Sockets opened per second.")
    var connectRate: Double?
    @Option(help: "Duration of the measurement in seconds.")
    var duration: Double?
    @Option(help: "Warm-up in seconds, which is checked but not measured.")
    var warmUp: Double?
    @Option(help: "Maximum time for the cluster to become idle at the end, in seconds.")
    var settle: Double?
    @Option(help: "Seed of the random generator.")
    var seed: Int?
    @Option(help: "Number of source addresses from 127.0.0.2 on (loopback only).")
    var sources: Int?
    @Option(help: "Maximum number of users whose unread counts are compared.")
    var unreadSample: Int?
    @Option(help: "Number of worker processes. More are started if a process cannot open enough sockets.")
    var workers: Int?
    @Option(help: "Event loops of each process.")
    var loops: Int?
    @Flag(help: "Accept a new log, for tests that flush Redis.")
    var mayRollBack = false
    @Flag(help: "Log bots in with passwords before the load, instead of using the API key.")
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
                throw PlanError("the plan file \(planFile) cannot be read")
            }
            result = try LoadPlan(file: Array(data), preset: preset == nil ? nil : base)
        }
        for (name, value) in given { if let value { try result.set(name, value) } }
        // A flag overrides the file, also where the file gives the same quantity by another field.
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
