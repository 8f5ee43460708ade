import ParleyModel
import Testing

@Suite("Operator rights of an account")
struct OperatorStatusTests {
    @Test("a grant gives rights; a name does only for accounts of a trusted origin")
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
