import Foundation
import ParleyBots
import ParleyTestSupport
import Testing

@Suite("Load plans")
struct LoadPlanTests {
    @Test("every preset is valid", arguments: Preset.allCases)
    func presets(preset: Preset) {
        #expect(preset.plan.violation == nil)
    }

    @Test("a file overrides its preset, and unknown fields are reported")
    func file() throws {
        let plan = try LoadPlan(file: Array(#"{"preset":"chat","rate":7.5,"text-bytes":"50-60"}"#.utf8), preset: nil)
        #expect(plan.bots == 1000)
        #expect(plan.rate == 7.5)
        #expect(plan.textBytes == 50...60)
        for (json, what) in [
            (#"{"botts":1}"#, "botts"), (#"{"preset":"chatt"}"#, "chatt"), ("[]", "object"), ("{", "JSON"),
            (#"{"bots":-1}"#, "bots"), (#"{"text-bytes":"9-3"}"#, "text-bytes"), (#"{"rate":"x"}"#, "rate"),
        ] {
            do {
                _ = try LoadPlan(file: Array(json.utf8), preset: nil)
                Issue.record("\(json) was taken")
            } catch {
                #expect(error.description.contains(what), "\(error)")
            }
        }
    }

    @Test("the plans in Config/ are possible", arguments: ["bots.json", "bots-evening.json"])
    func example(name: String) throws {
        let file = Repository.url("Config/\(name)")
        #expect(try LoadPlan(file: Array(Data(contentsOf: file)), preset: nil).violation == nil)
    }

    @Test("the fields of a file go before its preset, and that goes before the flag's")
    func presetOfFile() throws {
        let text = """
            {
              "preset": "chat", "rate": 7.5, "arrivals": "even", "text-bytes": "50-60",\r
              "churn": 0, "may-roll-back": true
            }

            """
        var plan = Preset.chat.plan
        (plan.rate, plan.arrivals, plan.textBytes, plan.mayRollBack) = (7.5, .even, 50...60, true)
        #expect(try LoadPlan(file: Array(text.utf8), preset: .smoke) == plan)
    }

    @Test(
        "what a plan cannot be is told",
        arguments: [
            (#"{"bots":1,"bots":2}"#, "bots"), (#"{"bots":[1]}"#, "bots"), (#"{"bots":{}}"#, "bots"), ("[1]", "object"),
            (#"{"rate":&a 3}"#, "not valid JSON"), (#"{"arrivals":"even}"#, "not valid JSON"),
            (#"{"bots" 3}"#, "not valid JSON"),
            (#"{"botts":3}"#, "botts"), (#"{"preset":"chatt"}"#, "chatt"), (#"{"preset":3}"#, "3"),
            ("", "not valid JSON"),
            ("bots: 1\n", "not valid JSON"), (#"{"bots":"many"}"#, "bots"), (#"{"rate":null}"#, "rate"),
        ])
    func badFile(text: String, what: String) {
        do {
            _ = try LoadPlan(file: Array(text.utf8), preset: nil)
            Issue.record("\(text) was taken")
        } catch {
            #expect(error.description.contains(what), "\(error)")
        }
    }

    @Test("a think time determines the rate of the senders")
    func thinkTime() {
        var plan = LoadPlan()
        (plan.bots, plan.readersShare, plan.rate) = (1000, 0.2, 7)
        #expect(plan.totalRate == 7)
        plan.thinkTime = 4
        #expect(plan.totalRate == 200)
    }

    @Test("every field of a plan can be read back")
    func fields() throws {
        var plan = Preset.soak.plan
        plan.stormAt = 3
        (plan.mayRollBack, plan.logsIn) = (true, true)
        (plan.thinkTime, plan.compressShare, plan.workers) = (2.5, 0.3, 3)
        var copy = LoadPlan()
        for (name, value) in plan.fields { try copy.set(name, value) }
        #expect(copy == plan)
    }

    @Test("a value at its bound is accepted, one beyond is reported by name")
    func bounds() {
        func violation(_ change: (inout LoadPlan) -> Void) -> String? {
            var plan = LoadPlan()
            change(&plan)
            return plan.violation?.description
        }
        #expect(violation { $0.members = 100 } == nil)
        #expect(violation { $0.members = 101 }?.contains("members") == true)
        #expect(violation { $0.textBytes = 38...4096 } == nil)
        #expect(violation { $0.textBytes = 37...4096 }?.contains("text-bytes") == true)
        #expect(violation { $0.textBytes = 38...4097 }?.contains("text-bytes") == true)
        #expect(violation { $0.compressShare = -0.1 }?.contains("compress-share") == true)
        #expect(violation { $0.workers = 32 } == nil)
        #expect(violation { $0.workers = 33 }?.contains("workers") == true)
        #expect(violation { $0.classicShare = 1.01 }?.contains("classic-share") == true)
        #expect(violation { ($0.rate, $0.duration) = (100_000, 1000) }?.contains("messages") == true)
        #expect(
            violation { ($0.bots, $0.threads, $0.members) = (1_000_000, 6, 1_000_000) }?.contains("threads") == true)
    }

    @Test("threads have the requested number of distinct members, and every bot knows its threads")
    func population() {
        var plan = LoadPlan()
        (plan.bots, plan.threads, plan.members) = (30, 50, 7)
        for skew in [0, 0.8, 1.5] {
            plan.memberSkew = skew
            let population = Population(plan, run: "r")
            #expect(population.members.count == 50)
            for (thread, members) in population.members.enumerated() {
                #expect(Set(members).count == members.count)
                #expect(members == members.sorted())
                #expect((2...30).contains(members.count))
                for bot in members { #expect(population.threads[Int(bot)].contains(Int32(thread))) }
            }
            #expect(population.threads.reduce(0) { $0 + $1.count } == population.membershipCount)
            #expect(abs(population.membershipCount - 350) < (skew == 0 ? 1 : 150), "\(population.membershipCount)")
            if skew > 0 { #expect(population.members[0].count > population.members[49].count) }
        }
    }

    @Test("the same seed gives the same population, another seed another")
    func seeds() {
        var plan = LoadPlan()
        (plan.classicShare, plan.readersShare) = (0.5, 0.5)
        let (one, same) = (Population(plan, run: "r"), Population(plan, run: "r"))
        #expect(one.isClassic == same.isClassic && one.isReader == same.isReader)
        plan.seed = 2
        #expect(Population(plan, run: "r").isClassic != one.isClassic)
    }
}
