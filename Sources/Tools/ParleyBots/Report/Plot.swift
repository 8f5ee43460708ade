/// A line plot as SVG without scripts.
struct Plot {
    struct Curve {
        let name: String
        /// By ascending x.
        let points: [(x: Double, y: Double)]
    }

    /// The scale of an axis.
    enum Scale {
        case linear
        /// Decades; values of 0 or below are left out.
        case logarithmic
    }

    let title: String
    /// The unit of the y axis.
    let unit: String
    let xTitle: String
    var scale = Scale.linear
    var curves: [Curve]
    /// Labelled ticks along x; evenly spaced ones if empty.
    var xTicks: [(x: Double, name: String)] = []

    private static let (width, height) = (640.0, 262.0)
    private static let (left, right, top, bottom) = (64.0, 12.0, 14.0, 44.0)

    /// The plot with its title and legend.
    var svg: String {
        let drawn = curves.map { Curve(name: $0.name, points: $0.points.filter { isVisible($0.y) }) }
            .filter { !$0.points.isEmpty }
        guard !drawn.isEmpty else { return "" }
        let frame = Frame(drawn.flatMap(\.points), scale)
        var text = "<figure><figcaption>\(Markup.escaped(title))<span class=\"unit\">\(Markup.escaped(unit))</span>"
        for (index, curve) in drawn.enumerated() {
            text += "<span class=\"key k\(index)\">\(Markup.escaped(curve.name))</span>"
        }
        text += "</figcaption><svg viewBox=\"0 0 \(Int(Self.width)) \(Int(Self.height))\" role=\"img\">"
        text += "<title>\(Markup.escaped(title))</title>"
        for tick in frame.yTicks {
            let y = frame.y(tick)
            text += line("grid", Self.left, y, Self.width - Self.right, y)
            text += label("y", Self.left - 7, y + 4, Self.number(tick))
        }
        for tick in xTicks.isEmpty ? frame.xTicks.map({ ($0, Self.number($0)) }) : xTicks.map({ ($0.x, $0.name) })
        where tick.0 >= frame.xRange.lowerBound && tick.0 <= frame.xRange.upperBound {
            let x = frame.x(tick.0)
            text += line("tick", x, Self.height - Self.bottom, x, Self.height - Self.bottom + 4)
            text += label("x", x, Self.height - Self.bottom + 17, tick.1)
        }
        text += label("t", (Self.left + Self.width - Self.right) / 2, Self.height - 5, xTitle)
        for (index, curve) in drawn.enumerated() { text += path(curve, index, frame) }
        return text + "</svg></figure>\n"
    }

    private func isVisible(_ value: Double) -> Bool {
        value.isFinite && (scale == .linear || value > 0)
    }

    private func path(_ curve: Curve, _ index: Int, _ frame: Frame) -> String {
        let points = curve.points.map { "\(Figure.fixed(frame.x($0.x), 1)) \(Figure.fixed(frame.y($0.y), 1))" }
        // A line of a single point would be invisible.
        let end = points.count == 1 ? "h3" : ""
        return "<path class=\"c k\(index)\" d=\"M\(points.joined(separator: "L"))\(end)\"/>"
    }

    private func line(_ kind: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
        let place = [("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)].map { "\($0.0)=\"\(Figure.fixed($0.1, 1))\"" }
        return "<line class=\"\(kind)\" \(place.joined(separator: " "))/>"
    }

    private func label(_ kind: String, _ x: Double, _ y: Double, _ text: String) -> String {
        "<text class=\"\(kind)\" x=\"\(Figure.fixed(x, 1))\" y=\"\(Figure.fixed(y, 1))\">\(Markup.escaped(text))</text>"
    }

    private static func number(_ value: Double) -> String {
        if abs(value) >= 10_000 { return "\(Figure.grouped(Int(value.rounded())))" }
        if value == value.rounded() { return Figure.fixed(value, 0) }
        return Figure.fixed(value, abs(value) < 0.1 ? 2 : 1)
    }

    /// Maps values to coordinates.
    private struct Frame {
        let xRange: ClosedRange<Double>
        let yRange: ClosedRange<Double>
        let scale: Scale
        let yTicks: [Double]
        let xTicks: [Double]

        init(_ points: [(x: Double, y: Double)], _ scale: Scale) {
            self.scale = scale
            let (xs, ys) = (points.map(\.x), points.map(\.y))
            let (low, high) = (xs.min() ?? 0, xs.max() ?? 1)
            xRange = low...(high > low ? high : low + 1)
            let top = max(ys.max() ?? 1, 1e-3)
            switch scale {
            case .linear:
                let step = Self.step(top / 4)
                let count = max(1, (top / step).rounded(.up))
                yRange = 0...(step * count)
                yTicks = (0...Int(count)).map { Double($0) * step }
            case .logarithmic:
                var (low, high) = (0.001, 0.01)
                while low * 10 <= (ys.min() ?? 0) { low *= 10 }
                high = low * 10
                while high < top { high *= 10 }
                yRange = low...high
                yTicks = Self.decades(low, high)
            }
            let step = Self.step((xRange.upperBound - xRange.lowerBound) / 8)
            let first = (xRange.lowerBound / step).rounded(.up)
            let last = (xRange.upperBound / step).rounded(.down)
            xTicks = first <= last ? (Int(first)...Int(last)).map { Double($0) * step } : []
        }

        private static func decades(_ low: Double, _ high: Double) -> [Double] {
            var (ticks, tick): ([Double], Double) = ([], low)
            while tick <= high * 1.001 {
                ticks.append(tick)
                tick *= 10
            }
            return ticks
        }

        /// The next of 1, 2 and 5 times a power of ten.
        private static func step(_ least: Double) -> Double {
            var step = 1e-3
            while step * 10 <= least { step *= 10 }
            for factor in [1.0, 2, 5, 10] where step * factor >= least { return step * factor }
            return step * 10
        }

        func x(_ value: Double) -> Double {
            let share = (value - xRange.lowerBound) / (xRange.upperBound - xRange.lowerBound)
            return Plot.left + share * (Plot.width - Plot.left - Plot.right)
        }

        func y(_ value: Double) -> Double {
            let share: Double
            switch scale {
            case .linear: share = (value - yRange.lowerBound) / (yRange.upperBound - yRange.lowerBound)
            case .logarithmic:
                let low = Power.logarithm(yRange.lowerBound)
                share = (Power.logarithm(value) - low) / (Power.logarithm(yRange.upperBound) - low)
            }
            return Plot.height - Plot.bottom - share * (Plot.height - Plot.top - Plot.bottom)
        }
    }
}
