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

    /// The fourth field of `/proc/N/stat`; the second may hold any character, but ends with the last bracket.
    private static func parent(of pid: pid_t) -> pid_t? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let bracket = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: bracket)...].split(separator: " ")
        return fields.count > 1 ? pid_t(fields[1]) : nil
    }
}
