package import Foundation

/// The processes of this machine from `/proc`, read anew on each call; empty where there is no `/proc`.
package enum ProcessTable {
    /// The child processes of a process.
    package static func children(of parent: pid_t) -> [pid_t] {
        let all = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { pid_t($0) }
        return all.filter { pid in
            guard let fields = stat(of: pid), fields.count > 1 else { return false }
            return pid_t(fields[1]) == parent
        }
    }

    /// Whether a process is running. A zombie is not, since the process that inherits an orphan may never reap it.
    package static func lives(_ pid: pid_t) -> Bool {
        stat(of: pid).map { $0.first != "Z" } ?? false
    }

    /// The fields of `/proc/N/stat` from the third, the state, on. The second may contain any character, but ends with
    /// the last parenthesis.
    private static func stat(of pid: pid_t) -> [Substring]? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let bracket = text.lastIndex(of: ")")
        else { return nil }
        return text[text.index(after: bracket)...].split(separator: " ")
    }
}
