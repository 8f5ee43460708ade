#if os(Linux)
    /// The default transport of the platform.
    typealias PlatformTransport = NIOTransport
#else
    /// The default transport of the platform.
    typealias PlatformTransport = URLSessionTransport
#endif
