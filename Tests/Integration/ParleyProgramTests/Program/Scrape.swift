/// `GET /metrics` as text, taken apart further than `Metrics` does.
struct Scrape {
    /// By name of the family: its line of help and its type.
    private(set) var families: [String: (help: String, type: String)] = [:]
    /// All sample lines.
    private(set) var samples: [Substring] = []

    init(parsing text: String) {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 3)
            if line.hasPrefix("# HELP "), words.count == 4 {
                families[String(words[2]), default: ("", "")].help = String(words[3])
            } else if line.hasPrefix("# TYPE "), words.count == 4 {
                families[String(words[2]), default: ("", "")].type = String(words[3])
            } else if !line.hasPrefix("#") {
                samples.append(line)
            }
        }
    }

    /// Names as queries use them: with `_bucket`, `_sum` and `_count` of histograms.
    var queryNames: Set<String> {
        Set(
            families.flatMap { name, family in
                family.type == "histogram" ? [name + "_bucket", name + "_sum", name + "_count"] : [name]
            })
    }

    /// The values of all labels.
    var labelValues: Set<String> {
        Set(samples.flatMap { line in line.matches(of: #/="((?:[^"\\]|\\.)*)"/#).map { String($0.1) } })
    }
}
