package import ParleyJSON

/// Reading a plan from a file: the fields that differ from the preset, named like the command's flags.
extension LoadPlan {
    /// Reads a plan's file over `preset`; a field `preset` in the file goes before it.
    /// - Parameter file: a JSON object.
    package init(file: [UInt8], preset: Preset?) throws(PlanError) {
        let members = try Self.members(file)
        var base = preset
        if let field = members.first(where: { $0.key == "preset" }) {
            guard let name = field.value.text, let preset = Preset(rawValue: name) else {
                throw Preset.unknown(field.value.text ?? field.value.canonical)
            }
            base = preset
        }
        self = base?.plan ?? LoadPlan()
        for member in members where member.key != "preset" { try set(member.key, member.value) }
    }

    private static func members(_ file: [UInt8]) throws(PlanError) -> [JSONTree.Member] {
        let tree: JSONTree
        do throws(JSONError) { tree = try JSONTree(parsing: file) } catch {
            throw PlanError("the plan is not valid JSON: \(error.explanation)")
        }
        guard case .members(let members) = tree else { throw PlanError("the plan is not a JSON object") }
        return members
    }

    /// Sets one field.
    /// - Parameter name: the name of the flag, without dashes.
    package mutating func set(_ name: String, _ value: JSONTree) throws(PlanError) {
        switch name {
        case "bots": bots = try Self.count(name, value)
        case "threads": threads = try Self.count(name, value)
        case "members": members = try Self.count(name, value)
        case "member-skew": memberSkew = try Self.number(name, value)
        case "activity-skew": activitySkew = try Self.number(name, value)
        case "rate": rate = try Self.number(name, value)
        case "arrivals": arrivals = try Self.arrivals(value)
        case "think-time": thinkTime = try Self.number(name, value)
        case "ramp": ramp = try Self.number(name, value)
        case "burst": burst = try Self.count(name, value)
        case "burst-every": burstEvery = try Self.number(name, value)
        case "text-bytes": textBytes = try Self.range(name, value)
        case "classic-share": classicShare = try Self.number(name, value)
        case "compress-share": compressShare = try Self.number(name, value)
        case "stored-share": storedShare = try Self.number(name, value)
        case "readers-share": readersShare = try Self.number(name, value)
        case "typing-share": typingShare = try Self.number(name, value)
        case "read-share": readShare = try Self.number(name, value)
        case "slow-share": slowShare = try Self.number(name, value)
        case "slow-bytes": slowBytesPerSecond = try Self.count(name, value)
        case "churn": churn = try Self.number(name, value)
        case "storm-at": stormAt = try Self.number(name, value)
        case "storm-share": stormShare = try Self.number(name, value)
        case "connect-rate": connectRate = try Self.number(name, value)
        case "duration": duration = try Self.number(name, value)
        case "warm-up": warmUp = try Self.number(name, value)
        case "settle": settle = try Self.number(name, value)
        case "seed": seed = UInt64(try Self.count(name, value))
        case "sources": sources = try Self.count(name, value)
        case "unread-sample": unreadSample = try Self.count(name, value)
        case "workers": workers = try Self.count(name, value)
        case "loops": loops = try Self.count(name, value)
        case "may-roll-back": mayRollBack = try Self.flag(name, value)
        case "login": logsIn = try Self.flag(name, value)
        default: throw PlanError("unknown field \"\(name)\" in the plan")
        }
    }

    /// All fields, for the report.
    package var fields: KeyValuePairs<String, JSONTree> {
        [
            "bots": .integer(Int64(bots)), "threads": .integer(Int64(threads)), "members": .integer(Int64(members)),
            "member-skew": .number(memberSkew), "activity-skew": .number(activitySkew), "rate": .number(rate),
            "think-time": .number(thinkTime), "arrivals": .text(arrivals.rawValue), "ramp": .number(ramp),
            "burst": .integer(Int64(burst)),
            "burst-every": .number(burstEvery),
            "text-bytes": .text("\(textBytes.lowerBound)-\(textBytes.upperBound)"),
            "classic-share": .number(classicShare), "compress-share": .number(compressShare),
            "stored-share": .number(storedShare),
            "readers-share": .number(readersShare), "typing-share": .number(typingShare),
            "read-share": .number(readShare), "slow-share": .number(slowShare),
            "slow-bytes": .integer(Int64(slowBytesPerSecond)), "churn": .number(churn),
            "storm-at": stormAt.map { .number($0) } ?? .null, "storm-share": .number(stormShare),
            "connect-rate": .number(connectRate), "duration": .number(duration), "warm-up": .number(warmUp),
            "settle": .number(settle), "seed": .integer(Int64(truncatingIfNeeded: seed)),
            "sources": .integer(Int64(sources)), "unread-sample": .integer(Int64(unreadSample)),
            "workers": .integer(Int64(workers)), "loops": .integer(Int64(loops)), "may-roll-back": .bool(mayRollBack),
            "login": .bool(logsIn),
        ]
    }

    private static func count(_ name: String, _ value: JSONTree) throws(PlanError) -> Int {
        guard let number = value.integer, number >= 0 else {
            throw PlanError("\(name) is not a whole number from 0 on")
        }
        return Int(number)
    }

    private static func number(_ name: String, _ value: JSONTree) throws(PlanError) -> Double {
        switch value {
        case .integer(let number): return Double(number)
        case .number(let number): return number
        default: throw PlanError("\(name) is not a number")
        }
    }

    private static func flag(_ name: String, _ value: JSONTree) throws(PlanError) -> Bool {
        guard case .bool(let flag) = value else { throw PlanError("\(name) is not true or false") }
        return flag
    }

    private static func arrivals(_ value: JSONTree) throws(PlanError) -> Arrivals {
        guard let arrivals = value.text.flatMap({ Arrivals(rawValue: $0) }) else {
            throw PlanError("arrivals is not one of even, random")
        }
        return arrivals
    }

    /// A number, or two numbers joined by a dash.
    private static func range(_ name: String, _ value: JSONTree) throws(PlanError) -> ClosedRange<Int> {
        if let number = value.integer { return Int(number)...Int(number) }
        let bounds = (value.text ?? "").split(separator: "-").compactMap { Int($0) }
        switch bounds.count {
        case 1: return bounds[0]...bounds[0]
        case 2 where bounds[0] <= bounds[1]: return bounds[0]...bounds[1]
        default: throw PlanError("\(name) is not a number or a range such as 40-200")
        }
    }
}
