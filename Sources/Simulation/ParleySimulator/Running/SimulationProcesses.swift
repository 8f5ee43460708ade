import CSimulator
import Glibc

/// Runs simulations in child processes, some at a time: each begins in the same state, and a crash of the product is a
/// violation like any other.
package struct SimulationProcesses {
    private struct Child {
        let plan: Plan
        let pipe: CInt
        let deadline: Int
        var text: [UInt8] = []
    }

    /// The most processes at a time.
    private let width: Int
    /// Seconds of real time that a simulation may take.
    private let limit: Int
    private let isPrinted: Bool
    private var children: [pid_t: Child] = [:]

    /// - Parameter isPrinted: whether the children tell what happens.
    package init(width: Int, limit: Int = 120, isPrinted: Bool = false) {
        self.width = max(1, width)
        self.limit = limit
        self.isPrinted = isPrinted
    }

    /// Runs plans until there are no more.
    /// - Parameters:
    ///   - next: the next plan; `nil` at the end.
    ///   - done: called in the order in which simulations end.
    package mutating func run(_ next: () -> Plan?, done: (SimulationResult) -> Void) {
        var hasMore = true
        while true {
            while hasMore, children.count < width {
                guard let plan = next() else {
                    hasMore = false
                    break
                }
                if let failure = start(plan) { done(failure) }
            }
            guard !children.isEmpty else { return }
            for result in wait() { done(result) }
        }
    }

    /// Runs one plan.
    package static func run(_ plan: Plan, isPrinted: Bool = false) -> SimulationResult {
        var processes = SimulationProcesses(width: 1, isPrinted: isPrinted)
        var (plans, results) = ([plan], [SimulationResult]())
        processes.run({ plans.popLast() }, done: { results.append($0) })
        return results.first ?? SimulationResult(seed: plan.seed, violations: ["no result"])
    }

    private mutating func start(_ plan: Plan) -> SimulationResult? {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else {
            return SimulationResult(seed: plan.seed, violations: ["no pipe: \(errno)"])
        }
        fflush(nil)
        let process = simulator_fork()
        if process == 0 {
            let text = Array(SimulationResult(of: plan, isPrinted: isPrinted).text.utf8)
            fflush(nil)
            var rest = text[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
                if count <= 0 { break }
                rest = rest.dropFirst(count)
            }
            _exit(0)
        }
        close(ends[1])
        guard process > 0 else {
            close(ends[0])
            return SimulationResult(seed: plan.seed, violations: ["no process: \(errno)"])
        }
        children[process] = Child(plan: plan, pipe: ends[0], deadline: Int(time(nil)) + limit)
        return nil
    }

    /// Waits until something happens to a child.
    private mutating func wait() -> [SimulationResult] {
        var results: [SimulationResult] = []
        let order = children.keys.sorted()
        var polls = order.map { pollfd(fd: children[$0]?.pipe ?? -1, events: Int16(POLLIN), revents: 0) }
        _ = poll(&polls, nfds_t(polls.count), 1000)
        for (process, poll) in zip(order, polls) {
            guard var child = children[process] else { continue }
            if poll.revents != 0 {
                var room = [UInt8](repeating: 0, count: 65_536)
                let count = read(child.pipe, &room, room.count)
                if count > 0 { child.text += room[..<count] } else { results.append(end(process, child, nil)) }
                if count > 0 { children[process] = child }
            } else if Int(time(nil)) > child.deadline {
                kill(process, SIGKILL)
                results.append(end(process, child, "does not end within \(limit) s of real time"))
            }
        }
        return results
    }

    private mutating func end(_ process: pid_t, _ child: Child, _ failure: String?) -> SimulationResult {
        children[process] = nil
        close(child.pipe)
        var status: CInt = 0
        waitpid(process, &status, 0)
        let seed = child.plan.seed
        if let failure { return SimulationResult(seed: seed, violations: [failure]) }
        let signal = status & 0x7F
        if signal != 0 { return SimulationResult(seed: seed, violations: ["crashed with signal \(signal)"]) }
        return SimulationResult(seed: seed, text: String(decoding: child.text, as: UTF8.self))
            ?? SimulationResult(seed: seed, violations: ["ended with status \(status >> 8) and without a result"])
    }
}
