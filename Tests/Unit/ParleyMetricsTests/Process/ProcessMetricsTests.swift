import ParleyMetrics
import Testing

@Suite("Process metrics")
struct ProcessMetricsTests {
    @Test("a stat line is parsed, whatever the program's name")
    func stat() throws {
        let rest = "S 1 2 3 4 5 6 7 8 9 10 110 12 13 14 15 16 17 18 1900 2000 21 22 23"
        for name in ["(parley)", "(a b)", "(x) R (9)", "()"] {
            let stat = try #require(ProcessStat(parsing: "4711 \(name) \(rest)\n"))
            #expect(stat.cpuTicks == 122)
            #expect(stat.threads == 17)
            #expect(stat.startTicks == 1900)
            #expect(stat.virtualBytes == 2000)
            #expect(stat.residentPages == 21)
        }
    }

    @Test(
        "an invalid stat line is rejected",
        arguments: ["", "1 parley S", "1 (parley) S 1 2", "1 (p) S a b c d e f g h i j k l m n o p q r s t u"])
    func broken(line: String) {
        #expect(ProcessStat(parsing: line) == nil)
    }

    @Test(
        "the limit of open files is parsed",
        arguments: [
            ("Limit  Soft  Hard\nMax open files            1024                 4096                 files\n", 1024.0),
            ("Max open files            unlimited            unlimited            files", .infinity), ("", nil),
            ("Max open files", nil),
        ])
    func limit(text: String, expected: Double?) {
        #expect(ProcessMetrics.openFilesLimit(in: text) == expected)
    }

    @Test(
        "the boot time is read from btime", arguments: [("cpu 1\nbtime 1700000000\n", 1_700_000_000.0), ("cpu 1", nil)])
    func boot(text: String, expected: Double?) {
        #expect(ProcessMetrics.bootTime(in: text) == expected)
    }

    @Test("without /proc there are no metrics")
    func elsewhere() {
        #expect(ProcessMetrics(proc: "/nowhere").read().isEmpty)
    }

    #if os(Linux)
        @Test("the metrics of this process are plausible")
        func thisProcess() throws {
            let registry = PrometheusRegistry()
            registry.onScrape { ProcessMetrics().read() }
            func number(_ name: String) throws -> Double { try #require(registry.value(name).flatMap(Double.init)) }
            #expect(try (1_000_000...100_000_000_000).contains(number("process_resident_memory_bytes")))
            #expect(try number("process_virtual_memory_bytes") >= number("process_resident_memory_bytes"))
            #expect(try (3...100_000).contains(number("process_open_fds")))
            #expect(try number("process_max_fds") >= number("process_open_fds"))
            #expect(try number("process_cpu_seconds_total") >= 0)
            #expect(try number("process_threads") >= 1)
            #expect(try number("process_start_time_seconds") > 1_600_000_000)
        }
    #endif

    @Test("ProcessUsage agrees with ProcessMetrics")
    func usage() {
        let before = ProcessUsage.read()
        var sum = 0
        for number in 0..<20_000_000 { sum &+= number ^ sum }
        let after = ProcessUsage.read()
        #expect(sum != 1)
        #expect(after.cpuSeconds > before.cpuSeconds)
        #expect((1_000_000..<100_000_000_000).contains(after.residentBytes))
    }
}
