import ParleyJSON
import ParleyModel

/// The report as a self-contained page: no script, font or server.
extension Report {
    package var html: String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <title>Parley bots: \(isSound ? "sound" : "broken"), \(Markup.escaped(run))</title>
        <style>\(ReportStyle.css)</style></head><body><main>
        <header><h1>Load report</h1><p>\(Markup.escaped(summary))</p>
        <p class="when">run \(Markup.escaped(run)), ended \(CivilTime.rfc3339(milliseconds: ended))</p></header>
        \(verdictSection)
        <section class="tiles">\(tiles)</section>
        \(plotSection)
        <section><h2>Latencies, milliseconds</h2>\(latencyTable)
        <p class="note">Every latency counts from the instant for which the send was scheduled, whenever it was written: \
        a server that stalls cannot hide the sends that waited meanwhile. Warm-up is left out.</p></section>
        <section><h2>What was counted</h2>\(Markup.table("facts", rows: facts.map { [$0.0, $0.1] }))</section>
        <section><h2>The plan</h2>\(planList)</section>
        <section><h2>The servers' counters</h2>\(counterTable)</section>
        </main></body></html>

        """
    }

    private var summary: String {
        let dialects = plan.classicShare == 0 ? "v1" : plan.classicShare == 1 ? "classic" : "v1 and classic"
        return
            "\(Figure.grouped(plan.bots)) bots (\(dialects)) in \(Figure.grouped(plan.threads)) \(plan.threads == 1 ? "thread" : "threads"), "
            + "\(Figure.short(plan.totalRate)) messages a second due, \(Figure.fixed(measuredSeconds, 0)) s measured, at "
            + urls.joined(separator: ", ")
    }

    private var verdictSection: String {
        let lines = verdictText.split(separator: "\n").map { Markup.escaped(String($0)) }
        // "SOUND: what that means. Compared: what."
        let parts = (lines.first ?? "").split(separator: ". Compared: ", maxSplits: 1)
        let compared = parts.count > 1 ? "<span>Compared: \(parts[1])</span>" : ""
        let rest = lines.dropFirst().map { "<li>\($0)</li>" }.joined()
        return "<section class=\"verdict \(isSound ? "sound" : "broken")\"><p>\(parts.first ?? "")</p>\(compared)"
            + (rest.isEmpty ? "" : "<ul>\(rest)</ul>") + "</section>"
    }

    private var tiles: String {
        var tiles: [(String, String, String)] = []
        func tile(_ value: String, _ unit: String, _ name: String) { tiles.append((value, unit, name)) }
        if deliveredInTime > 0 {
            tile(Figure.grouped(Int(deliveriesPerSecond.rounded())), "", "deliveries a second")
            tile(Figure.short(acksPerSecond), "", "messages a second")
            tile(Figure.milliseconds(figures.delivery.quantile(0.5)), "ms", "delivery p50")
            tile(Figure.milliseconds(figures.delivery.quantile(0.99)), "ms", "delivery p99")
        }
        tile(Figure.grouped(plan.bots), "", "sockets")
        if deliveredInTime == 0 {
            tile(Figure.milliseconds(figures.connect.quantile(0.99)), "ms", "connect p99")
            if let serverCores { tile(Figure.short(serverCores * 100), "%", "of a core, the servers") }
        }
        if let each = serverMicrosecondsPerDelivery { tile(Figure.short(each), "µs", "of the servers, a delivery") }
        if let each = ownMicrosecondsPerDelivery { tile(Figure.short(each), "µs", "of this tool, a delivery") }
        if let bytes = serverBytesPerConnection { tile(Figure.short(bytes / 1024), "KiB", "of the servers, a socket") }
        tile(Figure.grouped(figures.errorCount), "", "errors")
        return tiles.map { "<div><b>\($0.0)<i>\($0.1)</i></b><span>\($0.2)</span></div>" }.joined()
    }

    // MARK: Plots

    /// Two in a row, or five as two and three.
    private var plotSection: String {
        let plots = plots.filter { !$0.isEmpty }
        return "<section class=\"plots\(plots.count == 5 ? " five" : "")\">\(plots.joined())</section>"
    }

    private var plots: [String] {
        let samples = record.samples
        func curve(_ name: String, _ value: (Sample) -> Double) -> Plot.Curve {
            Plot.Curve(name: name, points: samples.map { ($0.time, value($0)) })
        }
        func rate(_ count: Int, _ sample: Sample) -> Double { Double(count) / max(sample.length, 0.001) }
        func quantile(_ histogram: Histogram, _ share: Double) -> Double {
            Double(histogram.quantile(share)) / 1000
        }
        let time = "seconds; before 0 the warm-up"
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
                curves: figures.scheduled == 0 ? [] : [curve("deliveries") { rate($0.delivered, $0) }]),
            Plot(
                title: "Messages", unit: "a second", xTitle: time,
                curves: figures.scheduled == 0
                    ? [] : [curve("due") { rate($0.scheduled, $0) }, curve("acknowledged") { rate($0.acked, $0) }]),
            Plot(
                title: "Living sockets", unit: "", xTitle: time,
                curves: [
                    curve("end of each second") { Double($0.connected) },
                    curve("fewest") { Double($0.fewest) },
                ]),
            Plot(
                title: "Errors", unit: "a second", xTitle: time,
                curves: figures.errorCount == 0 ? [] : [curve("errors") { rate($0.errors, $0) }]),
        ].map(\.svg)
    }

    /// Latency by percentile, far into the tail.
    private var percentiles: Plot {
        func curve(_ name: String, _ histogram: Histogram) -> Plot.Curve {
            guard histogram.count > 0 else { return Plot.Curve(name: name, points: []) }
            var points: [(x: Double, y: Double)] = []
            // Equal steps towards the tail: one step is "one in ten", the next "one in a hundred".
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

    /// Fields that differ from the default plan are bold.
    private var planList: String {
        let standard = LoadPlan().fields
        return "<dl>"
            + zip(plan.fields, standard).map { field, usual in
                let value = field.value == .null ? "–" : field.value.text ?? field.value.canonical
                let text = Markup.escaped(value.hasSuffix(".0") ? String(value.dropLast(2)) : value)
                return
                    "<div><dt>\(field.key)</dt><dd>\(field.value == usual.value ? text : "<b>\(text)</b>")</dd></div>"
            }.joined() + "</dl>"
    }

    private var counterTable: String {
        let deltas = counterDeltas
        guard !deltas.isEmpty else { return "<p class=\"note\">The servers' /metrics could not be read.</p>" }
        return Markup.table(
            "numbers", head: ["in the measured time", "rose by", "each delivery"],
            rows: deltas.map { delta in
                let each = deliveredInTime > 0 ? delta.delta / Double(deliveredInTime) : 0
                let rise = delta.delta >= 100 ? Figure.grouped(Int(delta.delta.rounded())) : Figure.short(delta.delta)
                return [delta.name, rise, Figure.short(each)]
            })
    }
}
