import Testing

/// The conformance kit against each client, and the packages for JavaScript and Python.
///
/// The kit's clocks are real, so these tests mostly wait. They measure nothing, and `make test` runs three at a time.
@Suite(.timeLimit(.minutes(5)))
enum ConformanceTests {}
