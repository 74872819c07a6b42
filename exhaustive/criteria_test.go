package exhaustive

import (
	"context"
	"slices"
	"testing"
)

// Two methods that share the tree's probabilities and nothing else: the best
// stopping rule by backward induction, and every stopping rule one by one.
func TestExhaustive_Criteria(t *testing.T) {
	t.Parallel()
	problems := []Pipeline{
		exact("3 1/10", stop(1, "2")),
		exact("3 0, 2 1/9, 11/10 0, 5 1/1000", stop(4, "2")),
		exact("3 0, 3 0", stop(1, "1"), stop(2, "4")),
		exact("3 0, 3 0, 3 0", stop(1, "1"), stop(3, "2")),
		exact("3 1/10, 7/5 0, 2 1/1000, 2 0", stop(1, "2"), stop(4, "3")),
		exact("3 1/10, 7/5 0, 2 1/1000", stop(2, "2"), stop(3, "3")),
		exact("3/2 0, 3 1/7, 2 0", stop(2, "2"), stop(3, "3/2")),
	}
	for g := newGenerator(9); len(problems) < 100; {
		if p := g.pipeline(4); len(p.Stops) == 1 || p.Stops[0].After == 1 && len(p.Stops) == 2 {
			problems = append(problems, p)
		}
	}
	for _, p := range problems {
		want, err := Criteria(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if got := mustExact(t, p).OptDel; got.Cmp(want) != 0 {
			t.Errorf("%v: backward induction %v, all criteria %v", p, got, want)
		}
	}
}

// The comparison above would notice a wrong order of stopping and going on.
func TestControl_CriteriaDiffer(t *testing.T) {
	t.Parallel()
	early := exact("3 0, 3 0", stop(1, "1"), stop(2, "4"))
	late := exact("3 0, 3 0", stop(2, "4"))
	first, err1 := Criteria(context.Background(), early)
	second, err2 := Criteria(context.Background(), late)
	if err1 != nil || err2 != nil || first.Cmp(rat("1/2")) != 0 || second.Cmp(rat("5/16")) != 0 {
		t.Errorf("with the early stop %v, %v, want 1/2; without %v, %v, want 5/16", first, err1, second, err2)
	}
}

func TestCriteriaDomain(t *testing.T) {
	t.Parallel()
	mechanisms := slices.Repeat([]Mechanism{{Eps: exps("2"), Delta: rat("1/10")}}, 9)
	_, err := Criteria(context.Background(), Pipeline{mechanisms, []Stop{stop(9, "2")}})
	checkError(t, "long", err, "Criteria: mechanisms: there are 9, must be at most 8")
	_, err = Criteria(context.Background(), Pipeline{mechanisms[:4], []Stop{stop(3, "2"), stop(4, "2")}})
	checkError(t, "many", err, "Criteria: there are 2^46 sequences of criteria, must be at most 1048576")
	_, err = Criteria(context.Background(), Pipeline{mechanisms[:8], []Stop{stop(2, "2"), stop(7, "2"), stop(8, "2")}})
	checkError(t, "far too many", err, "there are 2^4260 sequences of criteria")
}
