package import Foundation

/// The processes of a running server, found anew at each question.
package struct PostgresProcesses {
    /// The process that all others are children of.
    package let postmaster: pid_t

    package init(postmaster: pid_t) {
        self.postmaster = postmaster
    }

    /// One process for each session, and those that work in the background.
    package func children() -> [pid_t] {
        #if os(Linux)
            let all = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { pid_t($0) }
            return all.filter { Self.parent(of: $0) == postmaster }
        #else
            // Signals then reach the postmaster alone.
            return []
        #endif
    }

    /// Stops every process where it is. The postmaster first, so that it starts no more.
    func freeze() {
        Foundation.kill(postmaster, SIGSTOP)
        for child in children() { Foundation.kill(child, SIGSTOP) }
    }

    func thaw() {
        for child in children() { Foundation.kill(child, SIGCONT) }
        Foundation.kill(postmaster, SIGCONT)
    }

    /// Whether it still holds anything; what waits for nothing but its parent's notice does not.
    static func lives(_ pid: pid_t) -> Bool {
        stat(of: pid).map { $0.first != "Z" } ?? false
    }

    private static func parent(of pid: pid_t) -> pid_t? {
        guard let fields = stat(of: pid), fields.count > 1 else { return nil }
        return pid_t(fields[1])
    }

    /// The fields of `/proc/N/stat` from the third, the state, on; the second may hold any character, but ends with the
    /// last bracket.
    private static func stat(of pid: pid_t) -> [Substring]? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let bracket = text.lastIndex(of: ")")
        else { return nil }
        return text[text.index(after: bracket)...].split(separator: " ")
    }
}
