import ParleyJSON

/// The report as JSON.
extension Report {
    /// One JSON object; durations in milliseconds, members sorted by name.
    package var json: String {
        let members: KeyValuePairs<String, JSONTree?> = [
            "plan": Self.object(plan.fields.map { ($0.key, $0.value) }),
            "urls": .array(urls.map { .text($0) }), "run": .text(run), "memberships": .integer(Int64(memberships)),
            "measured_seconds": .number(measuredSeconds), "latencies_ms": latencies, "counts": counts,
            "errors": Self.object(figures.errors.map { ($0.key, .integer(Int64($0.value))) }),
            "messages_per_second": .number(acksPerSecond), "deliveries_per_second": .number(deliveriesPerSecond),
            "server": server,
            "tool": .object([
                "cores": .number(ownCores), "cpu_us_per_delivery": ownMicrosecondsPerDelivery.map { .number($0) },
            ]),
            "verdict": verdictTree, "seconds": .array(record.samples.map(Self.tree)),
        ]
        return JSONTree.object(members).canonical + "\n"
    }

    private static func object(_ members: [(String, JSONTree)]) -> JSONTree {
        let sorted = members.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
        return .members(sorted.map { JSONTree.Member($0.0, $0.1) })
    }

    private var latencies: JSONTree {
        let all: KeyValuePairs = [
            "ack": figures.ack, "stored": figures.storedAck, "delivery": figures.delivery,
            "delivery_own_node": figures.own, "delivery_other_node": figures.other, "login": record.logins,
            "connect": figures.connect,
            "recovery": figures.recovery, "tool_late": figures.lateness,
        ]
        return Self.object(
            all.map { name, histogram in
                let milliseconds = { (value: Int64) in JSONTree.number(Double(value) / 1000) }
                return (
                    name,
                    .object([
                        "count": .integer(Int64(histogram.count)), "mean": .number(histogram.mean / 1000),
                        "p50": milliseconds(histogram.quantile(0.5)), "p90": milliseconds(histogram.quantile(0.9)),
                        "p99": milliseconds(histogram.quantile(0.99)), "p999": milliseconds(histogram.quantile(0.999)),
                        "max": milliseconds(histogram.maximum),
                    ])
                )
            })
    }

    private var counts: JSONTree {
        let all: KeyValuePairs = [
            "scheduled": figures.scheduled, "sent": figures.sent, "resent": figures.resent, "acked": figures.acked,
            "stored": figures.stored, "delivered": figures.delivered, "replayed": figures.replayed,
            "fetched": figures.fetched, "notices": figures.notices, "received_bytes": figures.receivedBytes,
            "connects": figures.connects, "losses": figures.losses, "cuts": figures.cuts, "behind": figures.behind,
            "reads": figures.reads, "typings": figures.typings,
        ]
        return Self.object(all.map { ($0.key, .integer(Int64($0.value))) })
    }

    private var server: JSONTree {
        .object([
            "cores": serverCores.map { .number($0) },
            "cpu_us_per_delivery": serverMicrosecondsPerDelivery.map { .number($0) },
            "rss_bytes_per_connection": serverBytesPerConnection.map { .number($0) },
            "rss_bytes": .number(record.connected.residentBytes),
            "metrics": Self.object(counterDeltas.map { ($0.name, .number($0.delta)) }),
        ])
    }

    /// The increase of the servers' counters in the measured time, without unchanged ones.
    var counterDeltas: [(name: String, delta: Double)] {
        guard record.begin.server.servers == record.end.server.servers else { return [] }
        return record.end.server.counters
            .map { ($0.key, $0.value - record.begin.server.counters[$0.key, default: 0]) }
            .filter { $0.1 > 0 }.sorted { $0.0 < $1.0 }
    }

    private var verdictTree: JSONTree {
        .object([
            "sound": .bool(isSound), "events": .integer(Int64(verdict.events)), "acks": .integer(Int64(verdict.acks)),
            "memberships": .integer(Int64(verdict.memberships)), "unread_counts": .integer(Int64(verdict.unreadCounts)),
            "sends_gone": .integer(Int64(verdict.sendsGone)),
            "rolled_back_acks": .integer(Int64(verdict.rolledBackAcks)),
            "violations": Self.object(
                verdict.violations.counts.map { ($0.key.rawValue, .integer(Int64($0.value))) }),
            "first": .array(verdict.violations.first.prefix(20).map { .text(describe($0)) }),
        ])
    }

    private static func tree(_ sample: Sample) -> JSONTree {
        .object([
            "time": .number(sample.time), "connected": .integer(Int64(sample.connected)),
            "fewest_connected": .integer(Int64(sample.fewest)),
            "acked": .integer(Int64(sample.acked)), "delivered": .integer(Int64(sample.delivered)),
            "errors": .integer(Int64(sample.errors)),
            "ack_p99_ms": .number(Double(sample.ack.quantile(0.99)) / 1000),
            "delivery_p50_ms": .number(Double(sample.delivery.quantile(0.5)) / 1000),
            "delivery_p99_ms": .number(Double(sample.delivery.quantile(0.99)) / 1000),
        ])
    }
}
