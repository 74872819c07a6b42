package verify

import (
	"fmt"
	"math/big"
	"os"
	"sort"
	"strings"
	"testing"

	"checkrr/impl/ledger"
	"checkrr/verify/rat"
)

// every is how often the part with the larger ℰ is observed in the rounds of the second kind: once in so many.
const every = 20

// roundKind is rounds of which every 20th has one charge, and the others another; both are multiples of 10^-18.
type roundKind struct{ few, most *big.Rat }

// after returns the sum of so many.
func (k roundKind) after(n int) *big.Rat {
	rare := n / every
	return rat.Add(rat.Mul(k.most, rat.Int(rare)), rat.Mul(k.few, rat.Int(n-rare)))
}

// admitted returns after how many rounds the next one may be too much.
func (k roundKind) admitted(capacity *big.Rat) int {
	return sort.Search(1<<30, func(n int) bool {
		return rat.Add(k.after(n), k.most).Cmp(capacity) > 0
	})
}

// tableRow is what a table says of a budget and rounds.
func tableRow(t *testing.T, target, eps string, isEqual bool) string {
	delta, most := rat.Of("1e-6"), rat.Of(eps)
	f, err := ledger.NewODPFilter(nats(target), delta, rat.Of("0"), nil)
	if err != nil {
		t.Fatal(err)
	}
	kind, g := "one part", guaranteeOf("0", eps)
	if !isEqual {
		kind, g = "two parts", guaranteeOf("0", rat.Show(rat.Quo(most, rat.Of("10"))), eps)
	}
	spent := func(part int) (eps, charge *big.Rat) {
		after, admitted := f.SpendPart(f.Start(), g, part)
		if !admitted {
			t.Fatal("not even one round is admitted")
		}
		eps, _ = after.(ledger.ODPSums).Eps.Rat()
		charge, _ = after.(ledger.ODPSums).Charge.Rat()
		return eps, charge
	}
	var sums, charges roundKind
	sums.few, charges.few = spent(0)
	sums.most, charges.most = spent(len(g.Parts) - 1)
	capacity, _ := ledger.BetCapacity(f.Lambda(), nats(target), delta).Lower.Rat(nil)
	floor, _ := ledger.BetCapacity(f.Lambda(), nats("0"), delta).Lower.Rat(nil)
	variance, _ := ledger.TargetVariance(nats(target), delta).Lower.Rat(nil)
	square := rat.Mul(most, most)
	theorem8 := roundKind{square, square}.admitted(variance)
	bySum := sums.admitted(rat.Of(target))
	advanced := max(bySum, charges.admitted(capacity))
	if advanced < 5000 {
		compareWithFilter(t, f, g, advanced)
	}
	wins := sort.Search(1<<30, func(n int) bool { // the charges are less than λ times the sum
		return rat.Sub(charges.after(n), floor).Cmp(rat.Mul(f.Lambda(), sums.after(n))) < 0
	})
	return fmt.Sprintf("| %s | %s | %s | %d | %d | %d | %d |", target, eps, kind, bySum, theorem8, advanced, wins)
}

// compareWithFilter runs the filter on the rounds.
func compareWithFilter(t *testing.T, f *ledger.ODPFilter, g ledger.Guarantee, want int) {
	t.Helper()
	memory, n := f.Start(), 0
	for {
		observed := len(g.Parts) - 1
		if (n+1)%every != 0 {
			observed = 0
		}
		after, admitted := f.SpendPart(memory, g, observed)
		if !admitted {
			break
		}
		memory, n = after, n+1
	}
	if n != want {
		t.Errorf("the filter admits %d rounds, the table says %d", n, want)
	}
}

// TestDocs_ODPFilterTable: the table of docs/odp-filter.md is what the rules admit.
func TestDocs_ODPFilterTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/odp-filter.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, target := range []string{"1", "3"} {
		for _, isEqual := range []bool{true, false} {
			for _, eps := range []string{"0.1", "0.01", "0.001"} {
				rows = append(rows, tableRow(t, target, eps, isEqual))
			}
		}
	}
	if table := strings.Join(rows, "\n"); !strings.Contains(string(text), table) {
		t.Errorf("the table must be\n%s", table)
	}
}
