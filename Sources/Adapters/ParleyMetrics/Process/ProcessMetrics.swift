#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The standard process metrics of Prometheus client libraries, read from `/proc` at each scrape.
///
/// A metric is left out if its file does not exist or cannot be read.
package struct ProcessMetrics: Sendable {
    /// The path of `/proc`; another directory in tests.
    private let proc: String

    package init(proc: String = "/proc") {
        self.proc = proc
    }

    /// Reads the present values; blocks for some file reads.
    package func read() -> [ScrapedMetric] {
        var metrics: [ScrapedMetric] = []
        if let stat = ProcFile.text("\(proc)/self/stat").flatMap(ProcessStat.init(parsing:)) {
            metrics.append(contentsOf: self.metrics(from: stat))
        }
        if let open = openFiles() {
            metrics.append(
                gauge("process_open_fds", "Open file descriptors.", Double(open)))
        }
        if let limit = ProcFile.text("\(proc)/self/limits").flatMap(Self.openFilesLimit(in:)) {
            metrics.append(gauge("process_max_fds", "The most open file descriptors.", limit))
        }
        return metrics
    }

    private func metrics(from stat: ProcessStat) -> [ScrapedMetric] {
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        let page = Double(sysconf(Int32(_SC_PAGESIZE)))
        guard ticks > 0, page > 0 else { return [] }
        var metrics = [
            ScrapedMetric(
                name: "process_cpu_seconds_total", kind: .counter, help: "User and system CPU time.",
                samples: [.init(Double(stat.cpuTicks) / ticks)]),
            gauge("process_resident_memory_bytes", "Resident memory.", Double(stat.residentPages) * page),
            gauge("process_virtual_memory_bytes", "Virtual memory.", Double(stat.virtualBytes)),
            gauge("process_threads", "Operating system threads.", Double(stat.threads)),
        ]
        if let boot = ProcFile.text("\(proc)/stat").flatMap(Self.bootTime(in:)) {
            metrics.append(
                gauge(
                    "process_start_time_seconds", "Start of the process, in Unix time.",
                    boot + Double(stat.startTicks) / ticks))
        }
        return metrics
    }

    private func gauge(_ name: String, _ help: String, _ value: Double) -> ScrapedMetric {
        ScrapedMetric(name: name, kind: .gauge, help: help, samples: [.init(value)])
    }

    /// The soft limit in the line `Max open files` of `/proc/self/limits`; infinite if it is `unlimited`.
    package static func openFilesLimit(in limits: String) -> Double? {
        for line in limits.split(separator: "\n") where line.hasPrefix("Max open files") {
            guard let soft = line.dropFirst("Max open files".count).split(separator: " ").first else { return nil }
            return soft == "unlimited" ? .infinity : Double(soft)
        }
        return nil
    }

    /// The line `btime` of `/proc/stat`: the boot time, in Unix seconds.
    package static func bootTime(in stat: String) -> Double? {
        for line in stat.split(separator: "\n") where line.hasPrefix("btime ") {
            return Double(line.dropFirst("btime ".count))
        }
        return nil
    }

    /// The number of entries in `/proc/self/fd`, except the one opened for counting.
    private func openFiles() -> Int? {
        guard let directory = opendir("\(proc)/self/fd") else { return nil }
        defer { closedir(directory) }
        var count = 0
        while let entry = readdir(directory) {
            // "." and ".." are not descriptors; all others are numbers.
            if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
        }
        return max(count - 1, 0)
    }
}
