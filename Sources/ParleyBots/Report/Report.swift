/// What a run has shown: the plan, the figures, the servers' own numbers, and the verdict.
package struct Report: Sendable {
    package let plan: LoadPlan
    package let urls: [String]
    package let run: String
    /// Unix milliseconds.
    package let ended: Int64
    package let memberships: Int
    package let figures: Figures
    let record: Recording.Taken
    package let verdict: Verdict

    /// Seconds that were measured.
    package var measuredSeconds: Double {
        max(0.001, Double(record.end.time - record.begin.time) / 1e6)
    }

    /// In the measured time.
    package var deliveredInTime: Int { record.end.delivered - record.begin.delivered }
    package var ackedInTime: Int { record.end.acked - record.begin.acked }
    package var deliveriesPerSecond: Double { Double(deliveredInTime) / measuredSeconds }
    package var acksPerSecond: Double { Double(ackedInTime) / measuredSeconds }

    /// Processor time of all servers together for each delivery, in microseconds; `nil` if they do not tell.
    package var serverMicrosecondsPerDelivery: Double? {
        guard let serverSeconds, deliveredInTime > 0 else { return nil }
        return serverSeconds * 1e6 / Double(deliveredInTime)
    }

    /// Processor time of this tool for each delivery, in microseconds.
    package var ownMicrosecondsPerDelivery: Double? {
        guard deliveredInTime > 0 else { return nil }
        return (record.end.ownSeconds - record.begin.ownSeconds) * 1e6 / Double(deliveredInTime)
    }

    /// Processor seconds of all servers in the measured time; `nil` if one of them did not tell, or has started anew.
    private var serverSeconds: Double? {
        let (begin, end) = (record.begin.server, record.end.server)
        guard begin.servers > 0, end.servers == begin.servers, end.cpuSeconds >= begin.cpuSeconds else { return nil }
        return end.cpuSeconds - begin.cpuSeconds
    }

    /// The part of one core that the servers, and this tool, have used.
    package var serverCores: Double? { serverSeconds.map { $0 / measuredSeconds } }
    package var ownCores: Double { (record.end.ownSeconds - record.begin.ownSeconds) / measuredSeconds }

    /// Resident memory of the servers for each socket, in bytes: what was resident when all were connected, less what
    /// was before, so that a server that had been loaded before shows too little; `nil` if nothing can be said.
    package var serverBytesPerConnection: Double? {
        guard record.before.servers > 0, record.connected.servers == record.before.servers else { return nil }
        let more = record.connected.residentBytes - record.before.residentBytes
        return more > 0 ? more / Double(plan.bots) : nil
    }

    package var isSound: Bool { verdict.isSound }
}
