import ParleyModel
import Testing

@Suite("What makes an operator of an account")
struct OperatorStatusTests {
    @Test("a grant does; a name does only of an account of our own making, and not of one that nobody knows of")
    func rule() {
        for origin in AccountOrigin.allCases + [nil] {
            for isNamed in [false, true] {
                let granted = OperatorStatus(isGranted: true, origin: origin)
                #expect(granted.isOperator(byName: isNamed))
                let other = OperatorStatus(isGranted: false, origin: origin)
                let isOwn = [.operator, .apiKey, .command].contains(origin)
                #expect(other.isOperator(byName: isNamed) == (isNamed && isOwn), "\(String(describing: origin))")
            }
        }
    }
}
