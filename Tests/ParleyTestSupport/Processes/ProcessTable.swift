package import Foundation

/// The processes of this machine as `/proc` has them, found anew at each question; none where there is no `/proc`.
package enum ProcessTable {
    /// The processes that a process has started.
    package static func children(of parent: pid_t) -> [pid_t] {
        let all = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { pid_t($0) }
        return all.filter { pid in
            guard let fields = stat(of: pid), fields.count > 1 else { return false }
            return pid_t(fields[1]) == parent
        }
    }

    /// Whether there is such a process that has not ended. One that only waits for its parent's notice has, and whoever
    /// inherits an orphan may never take notice.
    package static func lives(_ pid: pid_t) -> Bool {
        stat(of: pid).map { $0.first != "Z" } ?? false
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
