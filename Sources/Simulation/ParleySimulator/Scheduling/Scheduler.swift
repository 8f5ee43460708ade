import CSimulator

/// Runs everything of a simulation on one thread, in virtual time.
///
/// - A job of Swift's runtime, a task of an event loop or a call of the world is ready, or due later.
/// - Which of the ready ones runs next is drawn from the seed, except that tasks of one event loop keep their order.
/// - Time passes by a few microseconds with each of them, and jumps when nothing is ready.
///
/// There is one scheduler at a time, which Swift's runtime, the clocks and the generators of the process belong to.
package final class Scheduler: @unchecked Sendable {
    // `@unchecked Sendable`: the simulator has one thread.

    /// Something that can run.
    enum Item {
        case job(UnsafeMutableRawPointer, SimulatedProcess)
        /// The next task of an event loop.
        case loop(SimulatedEventLoop)
        case call(SimulatedProcess, () -> Void)

        var process: SimulatedProcess {
            switch self {
            case .job(_, let process), .call(let process, _): process
            case .loop(let loop): loop.process
            }
        }
    }

    /// The parameters by which the order of execution is drawn.
    package struct Interleaving: Sendable {
        /// A ready item is held up once in so many times; 0 for never.
        package var holdsUpOnceIn = 0
        /// For at most so many nanoseconds.
        package var holdsUpFor: Int64 = 20_000_000
        /// The most nanoseconds that an item takes.
        package var itemTakes: Int64 = 20_000

        package init() {}
    }

    /// Outside of all nodes: faults, lines and users.
    package let world: SimulatedProcess
    package private(set) var processes: [SimulatedProcess] = []
    /// The process of the running item.
    package private(set) var running: SimulatedProcess
    package var interleaving = Interleaving()
    /// The number of items that have run.
    package private(set) var steps: UInt64 = 0
    /// A digest of the items and the times at which they ran: equal for equal runs.
    package private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    private var ready: [Item] = []
    private var timers = TimerHeap<Item>()
    private var generator: SeededGenerator

    /// The wall clock of all nodes at the beginning, in nanoseconds: 2026-11-21 12:00.
    private static let wallStart: Int64 = 1_795_262_400_000_000_000

    // Read by the runtime's hooks, on the only thread.
    nonisolated(unsafe) private static var current: Scheduler?

    /// Begins a simulation in this process, which has no way back.
    package init(seed: UInt64) {
        generator = SeededGenerator(seed: seed, purpose: 1)
        world = SimulatedProcess(name: "world", number: 0, wallOffset: Self.wallStart)
        running = world
        processes = [world]
        // A machine has been up for a while.
        simulator_set_now(1_000_000_000_000)
        simulator_set_wall_offset(Self.wallStart)
        var product = SeededGenerator(seed: seed, purpose: 2)
        simulator_set_random(product.next())
        Self.current = self
        SimulatedExecutors.install()
        simulator_begin { job, due in
            if let job { Scheduler.current?.enqueue(job, due: due) }
        }
    }

    /// Virtual time, in nanoseconds.
    package var now: Int64 { simulator_now() }

    /// The Unix time of a machine whose clock is right, in nanoseconds.
    package var wallNow: Int64 { now + Self.wallStart }

    // MARK: Processes

    package func makeProcess(_ name: String, skew: Int64 = 0) -> SimulatedProcess {
        let process = SimulatedProcess(name: name, number: processes.count, wallOffset: Self.wallStart + skew)
        processes.append(process)
        return process
    }

    /// Ends a process at once, wherever its tasks are.
    package func kill(_ process: SimulatedProcess) {
        process.state = .dead
        // Kept, since not even the end of an object may be noticed.
        process.held += ready.filter { $0.process === process }
        ready.removeAll { $0.process === process }
    }

    /// Stops a process until `resume`.
    package func pause(_ process: SimulatedProcess) {
        guard process.state == .running else { return }
        process.state = .paused
        process.held = ready.filter { $0.process === process }
        ready.removeAll { $0.process === process }
    }

    package func resume(_ process: SimulatedProcess) {
        guard process.state == .paused else { return }
        process.state = .running
        ready += process.held
        process.held = []
    }

    // MARK: Items

    private func enqueue(_ job: UnsafeMutableRawPointer, due: Int64) {
        let item = Item.job(job, running)
        if due < 0 { add(item) } else { timers.insert(item, at: due) }
    }

    /// From an executor of Swift's runtime.
    static func enqueue(_ job: UnownedJob) {
        current?.enqueue(unsafeBitCast(job, to: UnsafeMutableRawPointer.self), due: -1)
    }

    func add(_ item: Item) {
        switch item.process.state {
        case .running: ready.append(item)
        case .paused, .dead: item.process.held.append(item)
        }
    }

    func add(_ item: Item, at due: Int64) {
        timers.insert(item, at: due)
    }

    /// Calls `body` as the process, now or after some nanoseconds.
    package func call(as process: SimulatedProcess, after delay: Int64 = 0, _ body: @escaping () -> Void) {
        let item = Item.call(process, body)
        if delay <= 0 { add(item) } else { timers.insert(item, at: now + delay) }
    }

    /// Calls `body` as the world.
    package func call(after delay: Int64 = 0, _ body: @escaping () -> Void) {
        call(as: world, after: delay, body)
    }

    // MARK: Running

    /// Runs until the virtual time, or until nothing is left to run.
    package func run(until end: Int64) {
        while now < end {
            guard step(until: end) else { break }
        }
    }

    /// Runs until `condition` holds, at most for some nanoseconds.
    /// - Returns: whether it holds.
    package func run(atMost limit: Int64, until condition: () -> Bool) -> Bool {
        let end = now + limit
        while !condition() {
            guard now < end, step(until: end) else { return condition() }
        }
        return true
    }

    /// Runs one item, or goes on to the next time at which one is due.
    /// - Returns: `false` if there is nothing to do until `end`; then it is `end`.
    private func step(until end: Int64) -> Bool {
        if ready.isEmpty {
            guard let due = timers.due, due <= end else {
                simulator_set_now(max(now, end))
                return false
            }
            simulator_set_now(max(now, due))
        }
        while let due = timers.due, due <= now, let item = timers.removeFirst() { add(item) }
        guard !ready.isEmpty else { return true }
        let index = generator.below(ready.count)
        let item = ready[index]
        ready.swapAt(index, ready.count - 1)
        ready.removeLast()
        if interleaving.holdsUpOnceIn > 0, generator.once(in: interleaving.holdsUpOnceIn) {
            timers.insert(item, at: now + generator.within(1_000...interleaving.holdsUpFor))
            return true
        }
        run(item)
        simulator_set_now(now + generator.within(500...interleaving.itemTakes))
        return true
    }

    private func run(_ item: Item) {
        let process = item.process
        guard process.state == .running else { return add(item) }
        running = process
        simulator_set_wall_offset(process.wallOffset)
        steps += 1
        note(UInt64(process.number))
        switch item {
        case .job(let job, _): simulator_run(job)
        case .loop(let loop): loop.runNext()
        case .call(_, let body): body()
        }
        running = world
        simulator_set_wall_offset(world.wallOffset)
    }

    private func note(_ process: UInt64) {
        for value in [UInt64(bitPattern: now), process] {
            digest = (digest ^ value) &* 0x0000_0100_0000_01B3
            digest ^= digest >> 29
        }
    }
}
