/// The report as text for a terminal.
extension Report {
    /// One latency and its distribution.
    struct Row {
        let name: String
        /// A description of what was measured.
        let about: String
        let histogram: Histogram
    }

    var rows: [Row] {
        let all = [
            Row(name: "ack", about: "due to acknowledged (echoed, on classic sockets)", histogram: figures.ack),
            Row(name: "stored", about: "due to stored in the database", histogram: figures.storedAck),
            Row(name: "delivery", about: "due to each member's socket", histogram: figures.delivery),
            Row(name: "  own node", about: "sender and receiver on one node", histogram: figures.own),
            Row(name: "  other node", about: "sender and receiver on two nodes", histogram: figures.other),
            Row(name: "  unknown", about: "from or to a classic socket", histogram: figures.unknown),
            Row(name: "login", about: "login by password, four at a time, before the load", histogram: record.logins),
            Row(name: "connect", about: "connect to first frame", histogram: figures.connect),
            Row(name: "recovery", about: "death of a socket to live again", histogram: figures.recovery),
            Row(
                name: "tool late", about: "due to written, by this tool: large means doubtful figures",
                histogram: figures.lateness),
        ]
        return all.filter { $0.histogram.count > 0 }
    }

    package var table: String {
        var text = ""
        func line(_ parts: String...) { text += parts.joined() + "\n" }
        line()
        line(pad("milliseconds", 14), ["p50", "p90", "p99", "p99.9", "max", "count"].map { lead($0, 11) }.joined())
        for row in rows {
            let values = [0.5, 0.9, 0.99, 0.999].map { Figure.milliseconds(row.histogram.quantile($0)) }
            let rest = [Figure.milliseconds(row.histogram.maximum), Figure.grouped(Int(row.histogram.count))]
            line(pad(row.name, 14), (values + rest).map { lead($0, 11) }.joined())
        }
        line()
        for (name, value) in facts { line(pad(name, 26), value) }
        line()
        line(verdictText)
        return text
    }

    /// The counts, with their names.
    var facts: [(String, String)] {
        var facts: [(String, String)] = [
            (
                "messages",
                "\(Figure.grouped(figures.sent)) sent of \(Figure.grouped(figures.scheduled)) due, "
                    + "\(Figure.grouped(figures.acked)) acknowledged, \(Figure.grouped(figures.stored)) stored"
            ),
            (
                "throughput",
                "\(Figure.short(acksPerSecond)) messages/s, \(Figure.short(deliveriesPerSecond)) deliveries/s"
            ),
            (
                "events seen",
                "\(Figure.grouped(figures.delivered)) live, \(Figure.grouped(figures.replayed)) replayed, "
                    + "\(Figure.grouped(figures.fetched)) fetched, \(Figure.grouped(figures.notices)) notices"
            ),
        ]
        if figures.cuts + figures.losses + figures.resent + figures.behind > 0 {
            facts.append(
                (
                    "sockets",
                    "\(Figure.grouped(figures.losses)) ended (\(Figure.grouped(figures.cuts)) cut by the bots), "
                        + "\(Figure.grouped(figures.resent)) sends repeated, \(Figure.grouped(figures.behind)) times behind"
                ))
        }
        let errors = figures.errors.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
        facts.append(
            (
                "errors",
                errors.isEmpty ? "none" : errors.map { "\($0.key) \(Figure.grouped($0.value))" }.joined(separator: ", ")
            ))
        if let server = serverCores {
            let each = serverMicrosecondsPerDelivery.map { ", \(Figure.short($0)) µs for each delivery" } ?? ""
            facts.append(("servers' processor time", "\(Figure.short(server * 100)) % of a core\(each)"))
        }
        let own = ownMicrosecondsPerDelivery.map { ", \(Figure.short($0)) µs for each delivery" } ?? ""
        facts.append(("this tool's", "\(Figure.short(ownCores * 100)) % of a core\(own)"))
        if let bytes = serverBytesPerConnection {
            facts.append(
                (
                    "servers' memory",
                    "\(Figure.bytes(bytes)) for each socket, \(Figure.bytes(record.connected.residentBytes)) with all of them"
                ))
        }
        return facts
    }

    /// The checker's verdict in a few lines.
    package var verdictText: String {
        let compared =
            "\(Figure.grouped(verdict.events)) events of \(Figure.grouped(plan.threads)) threads, \(Figure.grouped(verdict.acks)) acks, "
            + "\(Figure.grouped(verdict.memberships)) memberships, \(Figure.grouped(verdict.unreadCounts)) unread counts"
        guard let first = verdict.violations.first.first else {
            var note = ""
            if verdict.rolledBackAcks > 0 {
                note +=
                    "\n\(Figure.grouped(verdict.rolledBackAcks)) accepted messages were lost with the old log, as --may-roll-back permits."
            }
            if verdict.sendsGone > 0 {
                note +=
                    "\n\(Figure.grouped(verdict.sendsGone)) classic sends were lost with their sockets, as that dialect permits."
            }
            return "SOUND: nothing lost, doubled, reordered or miscounted. Compared: \(compared).\(note)"
        }
        let counts = verdict.violations.counts.sorted { $0.value > $1.value }
        let list = counts.map { "\($0.key.rawValue) \(Figure.grouped($0.value))" }.joined(separator: ", ")
        var lines = ["BROKEN: \(Figure.grouped(verdict.violations.total)) violations (\(list)). Compared: \(compared)."]
        lines.append("First: \(describe(first))")
        lines += verdict.violations.first.dropFirst().prefix(9).map { "       \(describe($0))" }
        return lines.joined(separator: "\n")
    }

    /// A violation with the ids of the run, so that it can be looked up.
    package func describe(_ violation: GuaranteeViolation) -> String {
        var place: [String] = []
        if let thread = violation.thread { place.append("thread \(run).t\(thread)") }
        if let seq = violation.seq { place.append("seq \(seq)") }
        if let bot = violation.bot { place.append("bot \(run).u\(bot)") }
        return "\(violation.kind.rawValue): \(place.joined(separator: ", ")): \(violation.detail)"
    }

    private func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private func lead(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(1, width - text.count)) + text
    }
}

extension Sample {
    /// The progress line during the load.
    package var progressLine: String {
        let rate = { (count: Int) in Figure.short(Double(count) / Swift.max(length, 0.001)) }
        return "\(Figure.fixed(time, 0)) s  \(Figure.grouped(connected)) connected  \(rate(acked)) messages/s  "
            + "\(rate(delivered)) deliveries/s  delivery p50 \(Figure.milliseconds(delivery.quantile(0.5))) "
            + "p99 \(Figure.milliseconds(delivery.quantile(0.99))) ms  ack p99 "
            + "\(Figure.milliseconds(ack.quantile(0.99))) ms  \(Figure.grouped(errors)) errors"
    }
}
