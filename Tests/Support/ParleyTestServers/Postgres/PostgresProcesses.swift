package import Foundation
import ParleyTestSupport

/// The processes of a running server, read anew on each call.
package struct PostgresProcesses {
    /// The parent of all others.
    package let postmaster: pid_t

    package init(postmaster: pid_t) {
        self.postmaster = postmaster
    }

    /// One process per session, and the background processes.
    package func children() -> [pid_t] {
        // Where none can be listed, signals reach the postmaster only.
        ProcessTable.children(of: postmaster)
    }

    /// Stops every process by SIGSTOP. The postmaster first, so that it starts no more.
    func freeze() {
        Foundation.kill(postmaster, SIGSTOP)
        for child in children() { Foundation.kill(child, SIGSTOP) }
    }

    func thaw() {
        for child in children() { Foundation.kill(child, SIGCONT) }
        Foundation.kill(postmaster, SIGCONT)
    }
}
