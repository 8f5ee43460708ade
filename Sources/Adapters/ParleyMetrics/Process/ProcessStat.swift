/// The fields of `/proc/self/stat` (proc_pid_stat(5)).
package struct ProcessStat: Hashable, Sendable {
    /// User and system time, in clock ticks.
    package var cpuTicks: Int64
    package var threads: Int64
    /// Start of the process since boot, in clock ticks.
    package var startTicks: Int64
    package var virtualBytes: Int64
    package var residentPages: Int64

    /// `nil` if `line` has another form.
    package init?(parsing line: String) {
        // The second field is the program's name in parentheses, which may contain spaces and parentheses.
        guard let end = line.lastIndex(of: ")") else { return nil }
        // The first field here is field 3 of the manual page.
        let fields = line[line.index(after: end)...].split(whereSeparator: \.isWhitespace)
        func number(_ field: Int) -> Int64? {
            fields.indices.contains(field - 3) ? Int64(fields[field - 3]) : nil
        }
        guard let user = number(14), let system = number(15), let threads = number(20), let start = number(22),
            let virtual = number(23), let resident = number(24)
        else { return nil }
        cpuTicks = user + system
        self.threads = threads
        startTicks = start
        virtualBytes = virtual
        residentPages = resident
    }
}
