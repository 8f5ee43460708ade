import ArgumentParser
import Glibc
import ParleySimulator

/// Runs whole clusters on one thread in virtual time, and searches for broken promises.
@main
struct ParleySim: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parley-sim",
        abstract: "Runs whole clusters on one thread in virtual time, and searches for broken promises.")

    @Option(help: "How many seeds to run.")
    var seeds: UInt64 = 100

    @Option(help: "The first of them.")
    var from: UInt64 = 1

    @Option(help: "Runs this seed only.")
    var seed: UInt64?

    @Flag(help: "Tells what happens; with --seed.")
    var trace = false

    @Flag(help: "Reduces the plan of the seed while it fails in the same way; with --seed.")
    var shrink = false

    @Option(help: "Processes at a time.")
    var processes = max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))

    @Option(help: "Begins no seed after so many seconds.")
    var seconds = Int.max

    @Option(help: "Ends after so many seeds with violations.")
    var failures = 10

    @Flag(help: "Verifies that clocks, generators and tasks are those of the simulation.")
    var checkReplacements = false

    func run() throws {
        if checkReplacements { return try check() }
        try hashByNothingButContent()
        if let seed {
            try shrink ? reduce(seed) : runOnly(seed)
        } else {
            try search()
        }
    }

    /// Starts the program again with hashes that depend on no address and no secret, so that sets and dictionaries have
    /// the same order each time.
    private func hashByNothingButContent() throws {
        guard getenv("SWIFT_DETERMINISTIC_HASHING") == nil else { return }
        setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
        var arguments: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) }
        arguments.append(nil)
        execv("/proc/self/exe", &arguments)
        throw ValidationError("the program cannot start itself again")
    }

    private func runOnly(_ seed: UInt64) throws {
        // Traced or not, it runs in a child: the state in which a simulation begins is the same.
        let result = SimulationProcesses.run(Plan(seed: seed), isPrinted: trace)
        show(result)
        if !result.violations.isEmpty { throw ExitCode.failure }
    }

    private func check() throws {
        let escapes = ReplacedCalls.escapes() + (ReplacedCalls.tasksRun() ? [] : ["tasks"])
        print(escapes.isEmpty ? "all is caught" : "not caught: \(escapes.joined(separator: ", "))")
        if !escapes.isEmpty { throw ExitCode.failure }
    }

    private func search() throws {
        var (next, ran, failed, steps) = (from, 0, 0, UInt64(0))
        let begin = time(nil)
        var children = SimulationProcesses(width: processes)
        children.run {
            guard next < from + seeds, failed < failures, time(nil) - begin < self.seconds else { return nil }
            defer { next += 1 }
            return Plan(seed: next)
        } done: { result in
            ran += 1
            steps += result.steps
            if !result.violations.isEmpty {
                failed += 1
                show(result)
            }
        }
        let lasted = max(1, time(nil) - begin)
        print(
            "\(ran) seeds in \(lasted) s (\(ran * 60 / lasted) a minute, \(steps) steps), \(failed) with violations")
        if failed > 0 { throw ExitCode.failure }
    }

    private func reduce(_ seed: UInt64) throws {
        let plan = Plan(seed: seed)
        let whole = SimulationProcesses.run(plan)
        show(whole)
        guard let kind = whole.violations.first.map(Self.kind) else { return }
        var shrinker = Shrinker { plan in
            SimulationProcesses.run(plan).violations.contains { Self.kind(of: $0) == kind }
        }
        let small = shrinker.shrink(plan)
        print("after \(shrinker.attempts) attempts:")
        print(small.script)
        show(SimulationProcesses.run(small))
        if trace { _ = SimulationProcesses.run(small, isPrinted: true) }
        throw ExitCode.failure
    }

    /// The kind of a violation: its text without names and numbers.
    private static func kind(of violation: String) -> String {
        violation.split(separator: " ").filter { word in
            word.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        }.prefix(6).joined(separator: " ")
    }

    private func show(_ result: SimulationResult) {
        print(
            "seed \(result.seed): \(result.violations.count) violations, \(result.steps) steps, "
                + "\(result.sightings) sightings, digest \(result.digest)")
        for violation in result.violations { print("  \(violation)") }
    }
}
