/// What `parley check` has found, a line each.
struct CheckReport {
    private var lines: [String] = []
    private(set) var hasFailed = false

    mutating func passed(_ subject: String, _ finding: String) {
        lines.append("ok    \(subject): \(finding)")
    }

    mutating func noted(_ subject: String, _ finding: String) {
        lines.append("note  \(subject): \(finding)")
    }

    mutating func failed(_ subject: String, _ finding: String) {
        hasFailed = true
        lines.append("FAIL  \(subject): \(finding)")
    }

    var text: String {
        (lines + [hasFailed ? "parley would not run as it is set." : "parley would start."]).joined(separator: "\n")
            + "\n"
    }
}
