// Package register is what the registers of all papers are made of: numbered statements of a text, each with a
// check that can fail.
//
// Say that Lemma 3 of a paper ABC claims f(x) ≤ 2·x for every x up to 1. Its entry is made in six steps.
//
// # 1. What is printed
//
// Add the statement to verify/abc/statements.yaml, in the order of the text:
//
//	# Section 2
//	- id: ABC-L3
//	  title: f(x) ≤ 2x for x in [0, 1]
//	  printed: "Section 2, Lemma 3: f(x) ≤ 2x"
//	  kind: exact
//	  verdict: holds
//	  places: [spec.F, impl.F]
//
// In an ID D is a definition, L a lemma, T a theorem, C a corollary, A an algorithm, E an equation, F a figure, TB a
// table, X running text. The keys are the fields of [Statement]. What asserts nothing, or nothing that a program can
// check, has the kind definition or none, and a note that says so; that is all of its entry.
//
// A paper of its own is a folder with five files to begin with: statements.yaml; findings.json, which is {}; abc.go
// with the variable Paper, of type [Paper], that embeds both, and a function that returns the checks; abc_test.go,
// which calls the shared tests (see package registertest); and one for the first subject. A line in
// verify/papers/papers.go makes it known to the commands; without it, neither they nor the mutants find it. A text in a
// module of your own needs no such line: see the end.
//
// # 2. The function
//
// f is spec.F, as printed, in exact rationals, and impl.F, fast. Both cite ABC-L3 in their documentation.
//
// # 3. The claim
//
// It is a function of what could be wrong in it, so that statement, controls and corrected form are one check:
//
//	func bounded(t *register.T, factor *big.Rat) {
//		t.Domain("x = 0, 1/100, …, 1")
//		for i := range 101 {
//			x := big.NewRat(int64(i), 100)
//			t.At("x = %s", x)
//			y, fast, bound := spec.F(x), impl.F(rat.Float64(x)), rat.Mul(factor, x)
//			t.Require(math.Abs(fast-rat.Float64(y)) <= 1e-12, "f(x) = %s, by impl %.12g", y, fast)
//			t.AtMost(y, bound, "f(x) = %s, claimed are at most %s", y, bound)
//		}
//	}
//
// A counterexample is numbers that anyone can recompute; it begins with the place, where in the domain the case is,
// that [T.At] gave. [T.Close] says how
// close a bound comes to equality, as [T.AtMost] does: a check whose domain never comes near it shows little.
// [T.Random] draws cases and makes a failure smaller; [T.Size] has larger domains for verify --deep. Package finite has
// grids, laws, partitions, pipelines and menus to go through, and package audit tests of samples, with level and power.
//
// # 4. The check
//
// What runs for a statement stands in the file of its subject, by its ID:
//
//	"ABC-L3": register.Checked(register.With(bounded, rat.Of("2")),
//		register.NearMiss("f(x) ≤ 1.95x", register.With(bounded, rat.Of("1.95"))),
//	),
//
// A control is a claim that is wrong, which the check must refute; a near miss is a control that nearly holds, such as
// 1.95 for 2. There is a near miss for every half of the check: each number, each side, each room (a package of
// functions that entries name: spec, impl and its rooms, exhaustive; of your own module every package). [Control] is
// for what is wrong by much, such as another formula; one that only changes the same number by more shows nothing else.
//
// Print is a claim, not the truth: the check is of what is printed. If that fails, it is the result: verdict, severity
// and note say so, and [Corrected] is what holds instead, with the same check. Where print can be read in two ways,
// [AlsoHolds] or [AlsoFails] is the other one. A word or sign that is plainly meant otherwise, or a step of a proof,
// need not fail the statement: what is literally printed is then a reading that fails, with its severity.
//
// # 5. The record
//
//	go test ./verify/abc -run Register -update
//	go test ./verify/papers -update
//
// The first writes what the checks found to findings.json, with which every later run is compared: verdicts, numbers
// of cases, domains, and the words and numbers of counterexamples and closest cases. The second writes docs/index.md.
//
// # 6. The mutants
//
//	go test ./verify/papers -run Mutants -mutants all -only ^spec.F:
//	go test ./verify/abc -run Runs -covered all
//
// The first changes a sign, a constant, a branch of spec.F at a time. One that no entry notices shows that a check is
// weak; if it changes nothing that counts, verify/papers/survivors.txt, or one beside the test of your module, has its
// name, as the test prints it, and in the next line, which begins with a tab, why it survives. The row “rooms: 2” of
// the table is of mutants that change spec and impl alike. The second holds that every check runs what In names.
//
// [Paper] is the whole of a register; the tests that all registers share are in package registertest.
//
// # Your own text
//
// It stands in a module of your own, which requires this one; examples/newclaim is such a module. One of its packages
// has the five files of a paper, with another name and prefix than ours, and a test that calls registertest.Run, Runs
// and Mutants. The main of the program calls Main of package cmd/checkrr/command with the variable Paper: verify,
// explain, statements, check and the other commands have your statements beside ours. -update, -covered and -mutants
// are then flags of the test of that package.
//
// Its places are functions of your module, by package and name, such as own.Released, and cite the ID. Its checks may
// import what is not below a folder called internal: spec, impl and its rooms, exhaustive, impl/interval and impl/loss,
// and of verify the packages rat, finite, conjecture and audit.
package register
