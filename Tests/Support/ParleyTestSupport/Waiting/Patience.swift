extension Duration {
    /// How long tests wait for what must happen, on a machine that does other work too. Only a test that fails waits so
    /// long.
    package static let patience = Duration.seconds(60)
    /// What such a machine may add to a time that is promised.
    package static let leeway = Duration.seconds(10)
}
