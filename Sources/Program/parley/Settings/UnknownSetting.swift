/// A variable, or a name in the settings file, that is no setting: probably misspelt.
struct UnknownSetting: Hashable, Sendable, CustomStringConvertible {
    /// As it was given.
    let name: String
    /// The file that it is in; `nil` for a variable.
    let file: String?
    /// The setting that is spelt most like it; `nil` if none is close.
    let suggestion: String?

    /// - Parameter settings: the names of all settings, in the spelling of the place.
    init(_ name: String, file: String? = nil, settings: [String]) {
        self.name = name
        self.file = file
        let closest = settings.map { (distance: Self.distance(name, $0), name: $0) }.min { $0.distance < $1.distance }
        // Variables have an equal prefix, so the rest decides: a third of it may differ.
        let prefix = file == nil ? SettingsSource.prefix.count : 0
        let limit = max(2, (name.count - prefix) / 3)
        suggestion = closest.flatMap { $0.distance <= limit ? $0.name : nil }
    }

    var description: String {
        "unknown setting \(name)" + (file.map { " in \($0)" } ?? "")
            + (suggestion.map { "; did you mean \($0)?" } ?? "")
    }

    /// The Levenshtein distance.
    private static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        var row = Array(0...other.count)
        for (index, byte) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (byte == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
