/// The result of a run: the plan, the figures, the servers' metrics, and the verdict.
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

    /// Measured seconds.
    package var measuredSeconds: Double {
        max(0.001, Double(record.end.time - record.begin.time) / 1e6)
    }

    /// Within the measured time.
    package var deliveredInTime: Int { record.end.delivered - record.begin.delivered }
    package var ackedInTime: Int { record.end.acked - record.begin.acked }
    package var deliveriesPerSecond: Double { Double(deliveredInTime) / measuredSeconds }
    package var acksPerSecond: Double { Double(ackedInTime) / measuredSeconds }

    /// CPU time of all servers per delivery, in microseconds; `nil` if unknown.
    package var serverMicrosecondsPerDelivery: Double? {
        guard let serverSeconds, deliveredInTime > 0 else { return nil }
        return serverSeconds * 1e6 / Double(deliveredInTime)
    }

    /// CPU time of this tool per delivery, in microseconds.
    package var ownMicrosecondsPerDelivery: Double? {
        guard deliveredInTime > 0 else { return nil }
        return (record.end.ownSeconds - record.begin.ownSeconds) * 1e6 / Double(deliveredInTime)
    }

    /// CPU seconds of all servers in the measured time; `nil` if one of them did not respond, or has restarted.
    private var serverSeconds: Double? {
        let (begin, end) = (record.begin.server, record.end.server)
        guard begin.servers > 0, end.servers == begin.servers, end.cpuSeconds >= begin.cpuSeconds else { return nil }
        return end.cpuSeconds - begin.cpuSeconds
    }

    /// The mean number of cores used by the servers, and by this tool.
    package var serverCores: Double? { serverSeconds.map { $0 / measuredSeconds } }
    package var ownCores: Double { (record.end.ownSeconds - record.begin.ownSeconds) / measuredSeconds }

    /// Resident memory of the servers per socket, in bytes: the increase while all sockets were opened, so a server
    /// under earlier load shows too little; `nil` if unknown.
    package var serverBytesPerConnection: Double? {
        guard record.before.servers > 0, record.connected.servers == record.before.servers else { return nil }
        let more = record.connected.residentBytes - record.before.residentBytes
        return more > 0 ? more / Double(plan.bots) : nil
    }

    package var isSound: Bool { verdict.isSound }
}
