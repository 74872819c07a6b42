package finite

import (
	"math/big"
	"reflect"

	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// Each calls a function for every place of a [Grid]: with some arguments first, and then with the parameters of the
// grid. Numbers are handed over as the function takes them: as *big.Rat, int or float64, and of the arguments also in
// words, as "19/20". Each call is a case at its place, unless the function takes the place, a string, between the two:
// then it says itself what its cases are. Without a grid it is one call.
func Each(t *register.T, grid string, visit any, first ...any) {
	f := reflect.ValueOf(visit)
	var args []reflect.Value
	for i, x := range first {
		args = append(args, argument(x, f.Type().In(i)))
	}
	if grid == "" {
		f.Call(args)
		return
	}
	grid = sized(t, grid)
	t.AlsoDomain("%s", grid)
	n := len(args)
	asksForPlace := f.Type().In(n).Kind() == reflect.String
	for at, xs := range gridOf(grid) {
		if args = args[:n]; asksForPlace {
			args = append(args, reflect.ValueOf(at))
		} else {
			t.At("%s", at)
		}
		for _, x := range xs {
			args = append(args, argument(x, f.Type().In(len(args))))
		}
		f.Call(args)
	}
}

// argument returns a value as a parameter of a function takes it.
func argument(x any, as reflect.Type) reflect.Value {
	if text, isText := x.(string); isText && as.Kind() == reflect.Pointer {
		x = rat.Of(text)
	}
	if r, isRat := x.(*big.Rat); isRat && as.Kind() == reflect.Int {
		x = int(r.Num().Int64())
	} else if isRat && as.Kind() == reflect.Float64 {
		x = rat.Float64(r)
	}
	return reflect.ValueOf(x).Convert(as)
}

// Over returns a function from some arguments to a check that calls a function for [Each] place: with T, the arguments,
// and the parameters.
func Over(grid string, visit any) func(args ...any) register.Check {
	return func(args ...any) register.Check {
		return func(t *register.T) { Each(t, grid, visit, append([]any{t}, args...)...) }
	}
}

// With is [Over] without a grid.
func With(check any, args ...any) register.Check { return Over("", check)(args...) }

// Claim is a check of a statement with a share of its bound: it holds with 1.
type Claim func(t *register.T, share *big.Rat)

// On is [Over] for claims: the function takes T, the share, the arguments, and the parameters.
func On(grid string, visit any) func(args ...any) Claim {
	return func(args ...any) Claim {
		return func(t *register.T, share *big.Rat) { Each(t, grid, visit, append([]any{t, share}, args...)...) }
	}
}

// With returns the check with a share.
func (c Claim) With(share string) register.Check { return func(t *register.T) { c(t, rat.Of(share)) } }

// Tight is what runs for a claim that holds, and not with a share that is near.
func Tight(c Claim, near, says string, more ...register.Part) []register.Part {
	return register.Checked(c.With("1"), append(more, register.NearMiss(says, c.With(near)))...)
}

// Mended is what runs for a claim that fails as printed: another holds, and not with a share of it that is near.
func Mended(printed, corrected Claim, says, near, nearSays string, more ...register.Part) []register.Part {
	return register.Checked(printed.With("1"), append(more, register.NearMiss(nearSays, corrected.With(near)),
		register.Corrected(says, corrected.With("1")))...)
}
