/// The body of a request did not arrive: the connection broke, or its bytes are not HTTP.
///
/// The connection's own code must see `cause`: it answers a parser error by itself and closes.
struct BrokenBody: Error {
    let cause: any Error
}
