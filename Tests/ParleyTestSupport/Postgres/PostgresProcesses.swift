package import Foundation

/// The processes of a running server, found anew at each question.
package struct PostgresProcesses {
    /// The process that all others are children of.
    package let postmaster: pid_t

    package init(postmaster: pid_t) {
        self.postmaster = postmaster
    }

    /// One process for each session, and those that work in the background.
    package func children() -> [pid_t] {
        // Where none are found, signals reach the postmaster alone.
        ProcessTable.children(of: postmaster)
    }

    /// Stops every process where it is. The postmaster first, so that it starts no more.
    func freeze() {
        Foundation.kill(postmaster, SIGSTOP)
        for child in children() { Foundation.kill(child, SIGSTOP) }
    }

    func thaw() {
        for child in children() { Foundation.kill(child, SIGCONT) }
        Foundation.kill(postmaster, SIGCONT)
    }
}
