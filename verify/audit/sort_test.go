package audit

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// columnsOf returns columns with so many numbers: of noise, of few values, and with all that sorts oddly.
func columnsOf(size int) map[string][]float64 {
	dice := diceOf(uint64(size))
	all := map[string][]float64{}
	odd := []float64{0, math.Copysign(0, -1), 1, -1, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64,
		-math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), 0x1p-1022}
	for range size {
		x := dice.NormFloat64()
		all["noise"] = append(all["noise"], x)
		all["rounded"] = append(all["rounded"], math.Round(x*1000))
		all["few"] = append(all["few"], math.Round(x))
		all["odd"] = append(all["odd"], odd[dice.IntN(len(odd))])
	}
	return all
}

// Columns are in order as the library sorts them, on both sides of the size from which on another way is taken, and
// are not changed.
func TestSorted(t *testing.T) {
	for _, size := range []int{1, 2, radixFrom - 1, radixFrom, radixFrom + 1, 10_000} {
		for name, column := range columnsOf(size) {
			before, want := slices.Clone(column), slices.Clone(column)
			slices.Sort(want)
			if got := sorted(column); !slices.Equal(got, want) {
				t.Errorf("%d numbers, %s: not in order", size, name)
			}
			if !slices.Equal(column, before) {
				t.Errorf("%d numbers, %s: the column was changed", size, name)
			}
		}
	}
}

func TestRepeatedKeys(t *testing.T) {
	if got := repeatedKeys(nil, 2); got != nil {
		t.Errorf("of none %v come twice", got)
	}
	keys := []uint64{5, 1 << 63, 5, 0, 7, 0, 1 << 63, 0, math.MaxUint64, 5}
	before := slices.Clone(keys)
	for often, want := range map[int][]uint64{1: {0, 5, 7, 1 << 63, math.MaxUint64}, 2: {0, 5, 1 << 63}, 3: {0, 5},
		4: nil} {
		if got := repeatedKeys(keys, often); !slices.Equal(got, want) {
			t.Errorf("%v come %d times, must be %v", got, often, want)
		}
	}
	if !slices.Equal(keys, before) {
		t.Error("the keys were changed")
	}
}

func BenchmarkSorted(b *testing.B) {
	for _, size := range []int{radixFrom, 10_000, 333_333, 2_000_000} {
		for _, name := range []string{"noise", "rounded"} {
			column := columnsOf(size)[name]
			b.Run(fmt.Sprintf("%s/%d/ours", name, size), func(b *testing.B) {
				for b.Loop() {
					sorted(column)
				}
			})
			b.Run(fmt.Sprintf("%s/%d/library", name, size), func(b *testing.B) {
				for b.Loop() {
					slices.Sort(slices.Clone(column))
				}
			})
		}
	}
}
