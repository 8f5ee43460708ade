/// A part of a message other than its text.
package enum ShownPart: Hashable, Sendable {
    case text(String)
    /// A photo, a video or another file. `kind` is its noun.
    case file(kind: String, name: String?, url: String, mediaType: String, size: Int?)
    /// A location in degrees.
    case location(latitude: Double, longitude: Double)
    case other

    /// A label such as `[photo garden.jpg 48 kB]`. It is not safe to print.
    package var label: String {
        switch self {
        case .text(let text): return text
        case .file(let kind, let name, let url, _, let size):
            let words = [kind, name ?? url, size.map(Self.size)].compactMap { $0 }
            return "[\(words.joined(separator: " "))]"
        case .location(let latitude, let longitude):
            return "[location \(Self.degrees(latitude)), \(Self.degrees(longitude))]"
        case .other: return "[attachment]"
        }
    }

    /// Formats a number of bytes in units of 1000.
    static func size(_ bytes: Int) -> String {
        var (value, rest, unit) = (bytes, 0, 0)
        let units = ["B", "kB", "MB", "GB", "TB"]
        while value >= 1000, unit < units.count - 1 {
            (value, rest) = value.quotientAndRemainder(dividingBy: 1000)
            unit += 1
        }
        let hasTenths = unit > 0 && value < 10 && rest >= 100
        return hasTenths ? "\(value).\(rest / 100) \(units[unit])" : "\(value) \(units[unit])"
    }

    /// Formats degrees with at most five decimal places.
    private static func degrees(_ value: Double) -> String {
        guard value.isFinite, abs(value) <= 360 else { return "?" }
        return "\((value * 100_000).rounded() / 100_000)"
    }
}
