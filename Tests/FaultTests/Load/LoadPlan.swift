/// How many do what for how long.
struct LoadPlan: Sendable {
    var clients = 300
    /// Members of each thread; a client is in one thread.
    var members = 5
    /// Messages a second, all clients together.
    var rate = 2000.0
    var duration: Duration

    var threads: Int { (clients + members - 1) / members }
    func thread(of client: Int) -> Int { client / members }
}
