/// The body of a request did not arrive: the connection broke, or what came is no HTTP.
///
/// The connection's own code must see `cause`: for a parser error it answers by itself and closes.
struct BrokenBody: Error {
    let cause: any Error
}
