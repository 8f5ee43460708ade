import NIOCore

extension Channel {
    /// Builds the pipeline of an accepted connection, and closes it if that fails: the server does nothing with a
    /// connection whose setup failed, so it would stay open. To be called on the event loop.
    func setUpOrClose<Value: Sendable>(_ build: () throws -> Value) -> EventLoopFuture<Value> {
        eventLoop.makeCompletedFuture {
            do {
                return try build()
            } catch {
                close(promise: nil)
                throw error
            }
        }
    }
}
