#if os(Linux)
    /// What the platform opens sockets with: NIO.
    typealias PlatformTransport = NIOTransport
#else
    /// What the platform opens sockets with: URLSession.
    typealias PlatformTransport = URLSessionTransport
#endif
