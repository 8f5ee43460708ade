import ParleyFanOut
import ParleyModel
import ParleyTestSupport
import ParleyWire
import Testing

@Suite("The sockets of a user on a loop")
struct LocalSocketsTests {
    @Test("are what an array would say, be they none, one or several")
    func model() {
        var random = SeededGenerator(1)
        let all = (0..<4).map { number in
            FakeSocket(ConnectionID(trusted: "c\(number)"), Encoding(dialect: .v1), nil, Recorder<SocketEvent>())
        }
        var sockets = LocalSockets()
        var model: [FakeSocket] = []
        for _ in 0..<500 {
            let socket = all[Int.random(in: 0..<all.count, using: &random)]
            if model.contains(where: { $0 === socket }) {
                model.removeAll { $0 === socket }
                sockets.remove(socket)
            } else {
                model.append(socket)
                sockets.append(socket)
            }
            #expect(sockets.map(\.connection) == model.map(\.connection))
            #expect(sockets.count == model.count)
        }
    }
}
