import Testing

/// Tests of the whole program: each starts a `parley serve` of its own and talks to it over real sockets.
///
/// They run one after the other, because they measure time and memory and two cores are enough for one at a time.
@Suite(.serialized, .timeLimit(.minutes(3)))
enum ProgramTests {}
