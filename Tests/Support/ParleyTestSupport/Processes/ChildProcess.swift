import Foundation
import Synchronization

/// A process that cannot outlive this one.
///
/// A dedicated thread starts it and then waits for it. On Linux, `setpriv --pdeathsig` makes the kernel kill the child
/// when the *thread* that created it ends, and this thread ends only after the child. The child thus ends with the test
/// runner, however that ends. The state is protected by a mutex.
package final class ChildProcess: Sendable {
    /// The system could not start the process.
    package struct NotStarted: Error {
        package let executable: String
        package let code: Int32
    }

    private enum State {
        case running(pid_t)
        case ended(ProcessEnd)
    }

    private let state: Mutex<State>
    private let exits: Mailbox<ProcessEnd>

    private init(pid: pid_t, exits: Mailbox<ProcessEnd>) {
        state = Mutex(.running(pid))
        self.exits = exits
    }

    deinit {
        signal(SIGKILL)
    }

    /// The process id; `nil` once the process has ended.
    package var pid: Int32? {
        state.withLock { if case .running(let pid) = $0 { pid } else { nil } }
    }

    /// How the process ended; `nil` while it runs.
    package var exitStatus: ProcessEnd? {
        state.withLock { if case .ended(let status) = $0 { status } else { nil } }
    }

    /// Starts `executable`, found by `PATH` if it is a bare name.
    /// - Parameters:
    ///   - environment: The whole environment of the process.
    ///   - directory: Its working directory.
    ///   - output: The file to which standard output and error are appended.
    package static func start(
        _ executable: String, _ arguments: [String], environment: [String: String], in directory: String, output: String
    ) async throws -> ChildProcess {
        let command = guarded(["bash", "-c", launch, directory, executable] + arguments)
        let exits = Mailbox<ProcessEnd>(of: "exit of \(executable)")
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                var pid: pid_t = 0
                let code = spawn(&pid, command, environment, output)
                guard code == 0 else {
                    continuation.resume(throwing: NotStarted(executable: executable, code: code))
                    return
                }
                let reference = hand(over: pid, exits, to: continuation)
                // Waits without reaping, so that the id stays reserved until everybody has been notified.
                var information = siginfo_t()
                while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
                let reap: () -> ProcessEnd = {
                    var status: Int32 = 0
                    while waitpid(pid, &status, 0) == -1, errno == EINTR {}
                    return ProcessEnd(waitStatus: status)
                }
                // After deinit nobody can send a signal any more.
                exits.put(reference.child?.ended(reap) ?? reap())
            }
        }
    }

    /// The waiting thread's weak reference to the child, which must not keep it alive.
    private struct Reference {
        weak let child: ChildProcess?
    }

    /// A separate function, so that no variable of the waiting thread keeps the child alive.
    private static func hand(
        over pid: pid_t, _ exits: Mailbox<ProcessEnd>, to continuation: CheckedContinuation<ChildProcess, any Error>
    ) -> Reference {
        let child = ChildProcess(pid: pid, exits: exits)
        continuation.resume(returning: child)
        return Reference(child: child)
    }

    private func ended(_ reap: () -> ProcessEnd) -> ProcessEnd {
        state.withLock { state in
            let status = reap()
            state = .ended(status)
            return status
        }
    }

    /// Sends a signal; no effect once the process has ended.
    package func signal(_ number: Int32) {
        // Under the lock, so that the id cannot have been reused by another process.
        state.withLock { state in
            if case .running(let pid) = state { _ = Foundation.kill(pid, number) }
        }
    }

    /// Waits for the end.
    /// - Throws: ``TimedOut``.
    package func exit(within limit: Duration) async throws -> ProcessEnd {
        if let exitStatus { return exitStatus }
        do {
            guard let status = try await exits.take(within: limit) else { throw TimedOut("exit", after: limit) }
            // The next caller finds it in `exitStatus`.
            return status
        } catch {
            guard let exitStatus else { throw error }
            return exitStatus
        }
    }

    /// Whether no process has this id any more.
    package static func isGone(_ pid: Int32) -> Bool {
        Foundation.kill(pid, 0) == -1 && errno == ESRCH
    }

    /// Closes inherited descriptors: hundreds of the tests' sockets would leave a server too few to open.
    private static let launch = #"""
        for fd in /proc/self/fd/[0-9]*; do
            [[ ${fd##*/} =~ ^[0-9]+$ && ${fd##*/} -gt 2 ]] && eval "exec ${fd##*/}>&-"
        done
        cd "$0" && exec "$@"
        """#

    private static func guarded(_ command: [String]) -> [String] {
        #if os(Linux)
            ["setpriv", "--pdeathsig", "KILL"] + command
        #else
            command
        #endif
    }

    /// The error code of `posix_spawnp`; 0 if the process runs.
    private static func spawn(
        _ pid: inout pid_t, _ command: [String], _ environment: [String: String], _ output: String
    ) -> Int32 {
        #if os(Linux)
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #else
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // Threads of a test runner may block signals; the child must start with none blocked and none ignored.
        var nothing = sigset_t()
        var everything = sigset_t()
        sigemptyset(&nothing)
        sigfillset(&everything)
        posix_spawnattr_setsigmask(&attributes, &nothing)
        posix_spawnattr_setsigdefault(&attributes, &everything)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            for pointer in arguments + variables { free(pointer) }
        }
        return posix_spawnp(&pid, command[0], &actions, &attributes, &arguments, &variables)
    }
}

/// How a process ended.
package enum ProcessEnd: Hashable, Sendable {
    /// It exited with this code.
    case exited(Int32)
    /// It was killed by this signal.
    case killed(Int32)

    /// - Parameter status: The status reported by `waitpid`.
    init(waitStatus status: Int32) {
        let signal = status & 0x7F
        self = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal)
    }
}
