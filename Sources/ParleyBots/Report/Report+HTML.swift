import ParleyModel

/// The report as one page that needs nothing else: no script, no font, no server.
extension Report {
    package var html: String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <title>Parley bots: \(isSound ? "sound" : "broken"), \(Markup.escaped(run))</title>
        <style>\(ReportStyle.css)</style></head><body><main>
        <header><h1>Load report</h1><p>\(Markup.escaped(summary))</p></header>
        \(verdictSection)
        <section class="tiles">\(tiles)</section>
        <section class="plots">\(plots)</section>
        <section><h2>Latencies, milliseconds</h2>\(latencyTable)
        <p class="note">Every latency counts from the instant for which the send was scheduled, whenever it was written: \
        a server that stalls cannot hide the sends that waited meanwhile. Warm-up is left out.</p></section>
        <section><h2>What was counted</h2>\(Markup.table("facts", rows: facts.map { [$0.0, $0.1] }))</section>
        <div class="columns">
        <section><h2>The plan</h2>\(planTable)</section>
        <section><h2>The servers' counters</h2>\(counterTable)</section>
        </div>
        </main></body></html>

        """
    }

    private var summary: String {
        let dialects = plan.classicShare == 0 ? "v1" : plan.classicShare == 1 ? "classic" : "v1 and classic"
        return "\(Figure.grouped(plan.bots)) bots (\(dialects)) in \(Figure.grouped(plan.threads)) threads, "
            + "\(Figure.short(plan.rate)) messages a second due, \(Figure.fixed(measuredSeconds, 0)) s measured, at "
            + urls.joined(separator: ", ")
    }

    private var verdictSection: String {
        let lines = verdictText.split(separator: "\n").map { Markup.escaped(String($0)) }
        let rest = lines.dropFirst().map { "<li>\($0)</li>" }.joined()
        return "<section class=\"verdict \(isSound ? "sound" : "broken")\"><p>\(lines.first ?? "")</p>"
            + (rest.isEmpty ? "" : "<ul>\(rest)</ul>") + "</section>"
    }

    private var tiles: String {
        var tiles: [(String, String, String)] = [
            (Figure.grouped(Int(deliveriesPerSecond.rounded())), "deliveries a second", ""),
            (Figure.short(acksPerSecond), "messages a second", ""),
        ]
        if figures.delivery.count > 0 {
            tiles.append((Figure.milliseconds(figures.delivery.quantile(0.5)), "delivery p50", "ms"))
            tiles.append((Figure.milliseconds(figures.delivery.quantile(0.99)), "delivery p99", "ms"))
        }
        tiles.append((Figure.grouped(plan.bots), "sockets", ""))
        tiles.append((Figure.grouped(figures.errorCount), "errors", ""))
        if let each = serverMicrosecondsPerDelivery {
            tiles.append((Figure.short(each), "server time for a delivery", "µs"))
        }
        if let bytes = serverBytesPerConnection {
            tiles.append((Figure.short(bytes / 1024), "server memory for a socket", "KiB"))
        }
        return tiles.map { "<div><b>\($0.0)<i>\($0.2)</i></b><span>\($0.1)</span></div>" }.joined()
    }

    // MARK: Plots

    private var plots: String {
        let samples = record.samples
        func curve(_ name: String, _ value: (Sample) -> Double) -> Plot.Curve {
            Plot.Curve(name: name, points: samples.map { ($0.time, value($0)) })
        }
        func rate(_ count: Int, _ sample: Sample) -> Double { Double(count) / max(sample.length, 0.001) }
        func quantile(_ histogram: Histogram, _ share: Double) -> Double {
            Double(histogram.quantile(share)) / 1000
        }
        let time = "seconds of the load; before 0 the warm-up"
        return [
            percentiles,
            Plot(
                title: "Delivery latency over time", unit: "ms", xTitle: time, scale: .logarithmic,
                curves: [
                    curve("p50") { quantile($0.delivery, 0.5) }, curve("p99") { quantile($0.delivery, 0.99) },
                    curve("max") { quantile($0.delivery, 1) },
                ]),
            Plot(
                title: "Deliveries", unit: "a second", xTitle: time,
                curves: [curve("deliveries") { rate($0.delivered, $0) }]),
            Plot(
                title: "Messages", unit: "a second", xTitle: time,
                curves: [curve("due") { rate($0.scheduled, $0) }, curve("acknowledged") { rate($0.acked, $0) }]),
            Plot(
                title: "Living sockets", unit: "", xTitle: time,
                curves: [
                    curve("at the end of the second") { Double($0.connected) },
                    curve("at their fewest") { Double($0.fewest) },
                ]),
            Plot(
                title: "Errors", unit: "a second", xTitle: time,
                curves: [curve("errors") { rate($0.errors, $0) }]),
        ].map(\.svg).joined()
    }

    /// How long the slowest of so many took, far into the tail.
    private var percentiles: Plot {
        func curve(_ name: String, _ histogram: Histogram) -> Plot.Curve {
            guard histogram.count > 0 else { return Plot.Curve(name: name, points: []) }
            var points: [(x: Double, y: Double)] = []
            // Equal steps towards the tail: one place is "one in ten", the next "one in a hundred".
            var nines = 0.0
            while nines <= 5, Power.of(10, nines) <= Double(histogram.count) {
                let share = 1 - Power.of(10, -nines)
                points.append((nines, Double(histogram.quantile(share)) / 1000))
                nines += 0.05
            }
            return Plot.Curve(name: name, points: points)
        }
        return Plot(
            title: "Latency by percentile", unit: "ms", xTitle: "percentile", scale: .logarithmic,
            curves: [
                curve("delivery", figures.delivery), curve("ack", figures.ack), curve("stored", figures.storedAck),
            ],
            xTicks: [
                (0, "0"), (0.30103, "50"), (1, "90"), (2, "99"), (3, "99.9"), (4, "99.99"), (5, "99.999"),
            ])
    }

    // MARK: Tables

    private var latencyTable: String {
        Markup.table(
            "numbers", head: ["", "p50", "p90", "p99", "p99.9", "max", "count", ""],
            rows: rows.map { row in
                [row.name] + [0.5, 0.9, 0.99, 0.999, 1].map { Figure.milliseconds(row.histogram.quantile($0)) }
                    + [Figure.grouped(Int(row.histogram.count)), row.about]
            })
    }

    private var planTable: String {
        Markup.table(
            "facts", rows: plan.fields.map { [$0.key, $0.value == .null ? "–" : $0.value.text ?? $0.value.canonical] })
    }

    private var counterTable: String {
        let deltas = counterDeltas
        guard !deltas.isEmpty else { return "<p class=\"note\">The servers' /metrics were not to be had.</p>" }
        return Markup.table(
            "numbers", head: ["in the measured time", "rose by", "each delivery"],
            rows: deltas.map { delta in
                let each = deliveredInTime > 0 ? delta.delta / Double(deliveredInTime) : 0
                return [delta.name, Figure.short(delta.delta), Figure.short(each)]
            })
    }
}
