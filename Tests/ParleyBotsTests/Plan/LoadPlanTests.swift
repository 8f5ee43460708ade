import Foundation
import ParleyBots
import Testing

@Suite("Load plans")
struct LoadPlanTests {
    @Test("every preset is possible", arguments: Preset.allCases)
    func presets(preset: Preset) {
        #expect(preset.plan.flaw == nil)
    }

    @Test("a file goes over its preset, and fields that are not known are told")
    func file() throws {
        let plan = try LoadPlan(json: Array(#"{"preset":"chat","rate":7.5,"text-bytes":"50-60"}"#.utf8), preset: nil)
        #expect(plan.bots == 1000)
        #expect(plan.rate == 7.5)
        #expect(plan.textBytes == 50...60)
        for (json, what) in [
            (#"{"botts":1}"#, "botts"), (#"{"preset":"chatt"}"#, "chatt"), ("[]", "object"), ("{", "JSON"),
            (#"{"bots":-1}"#, "bots"), (#"{"text-bytes":"9-3"}"#, "text-bytes"), (#"{"rate":"x"}"#, "rate"),
        ] {
            do {
                _ = try LoadPlan(json: Array(json.utf8), preset: nil)
                Issue.record("\(json) was taken")
            } catch {
                #expect(error.description.contains(what), "\(error)")
            }
        }
    }

    @Test("the plan in Config/ is possible")
    func example() throws {
        let file = URL(filePath: #filePath).appending(path: "../../../../Config/bots.json").standardized
        #expect(try LoadPlan(json: Array(Data(contentsOf: file)), preset: nil).flaw == nil)
    }

    @Test("every field of a plan can be read back")
    func fields() throws {
        var plan = Preset.soak.plan
        plan.stormAt = 3
        (plan.mayRollBack, plan.logsIn) = (true, true)
        var copy = LoadPlan()
        for (name, value) in plan.fields { try copy.set(name, value) }
        #expect(copy == plan)
    }

    @Test("a value at its bound is taken, one beyond is told by its name")
    func bounds() {
        func flaw(_ change: (inout LoadPlan) -> Void) -> String? {
            var plan = LoadPlan()
            change(&plan)
            return plan.flaw?.description
        }
        #expect(flaw { $0.members = 100 } == nil)
        #expect(flaw { $0.members = 101 }?.contains("members") == true)
        #expect(flaw { $0.textBytes = 38...4096 } == nil)
        #expect(flaw { $0.textBytes = 37...4096 }?.contains("text-bytes") == true)
        #expect(flaw { $0.textBytes = 38...4097 }?.contains("text-bytes") == true)
        #expect(flaw { $0.classicShare = 1.01 }?.contains("classic-share") == true)
        #expect(flaw { ($0.rate, $0.duration) = (100_000, 1000) }?.contains("messages") == true)
        #expect(flaw { ($0.bots, $0.threads, $0.members) = (1_000_000, 6, 1_000_000) }?.contains("threads") == true)
    }

    @Test("threads have the members that were asked for, each once, and every bot knows its threads")
    func world() {
        var plan = LoadPlan()
        (plan.bots, plan.threads, plan.members) = (30, 50, 7)
        for skew in [0, 0.8, 1.5] {
            plan.memberSkew = skew
            let world = World(plan, run: "r")
            #expect(world.members.count == 50)
            for (thread, members) in world.members.enumerated() {
                #expect(Set(members).count == members.count)
                #expect(members == members.sorted())
                #expect((2...30).contains(members.count))
                for bot in members { #expect(world.threads[Int(bot)].contains(Int32(thread))) }
            }
            #expect(world.threads.reduce(0) { $0 + $1.count } == world.seatCount)
            #expect(abs(world.seatCount - 350) < (skew == 0 ? 1 : 150), "\(world.seatCount)")
            if skew > 0 { #expect(world.members[0].count > world.members[49].count) }
        }
    }

    @Test("the same seed gives the same world, another gives another")
    func seeds() {
        var plan = LoadPlan()
        (plan.classicShare, plan.readersShare) = (0.5, 0.5)
        let (one, same) = (World(plan, run: "r"), World(plan, run: "r"))
        #expect(one.isClassic == same.isClassic && one.isReader == same.isReader)
        plan.seed = 2
        #expect(World(plan, run: "r").isClassic != one.isClassic)
    }
}
