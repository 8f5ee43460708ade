import Testing

/// Tests of the whole program: each starts its own `parley serve` and connects to it over real sockets.
///
/// They run one after the other, because they measure time and memory and two cores are enough for one at a time.
@Suite(.serialized, .timeLimit(.minutes(3)))
enum ProgramTests {}
