package finite

import (
	"math/big"
	"reflect"

	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// Each calls a function for every place of a [Grid]: with some arguments first, and then with the parameters of the
// grid, which it takes as *big.Rat, int or float64. Each call is a case at its place, unless the function takes the
// place, a string, between the two: then it says itself what its cases are.
func Each(t *register.T, text string, visit any, first ...any) {
	t.Domain("%s", text)
	each(t, text, visit, first)
}

// AlsoEach is [Each] for what is gone through beside something else.
func AlsoEach(t *register.T, text string, visit any, first ...any) {
	t.AlsoDomain("%s", text)
	each(t, text, visit, first)
}

func each(t *register.T, text string, visit any, first []any) {
	f := reflect.ValueOf(visit)
	var before []reflect.Value
	for _, x := range first {
		before = append(before, reflect.ValueOf(x))
	}
	for at, xs := range gridOf(text) {
		args := append([]reflect.Value{}, before...)
		if n := len(args); n < f.Type().NumIn() && f.Type().In(n).Kind() == reflect.String {
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

// argument returns a number as a parameter of a function takes it.
func argument(x *big.Rat, as reflect.Type) reflect.Value {
	switch as.Kind() {
	case reflect.Int:
		return reflect.ValueOf(int(x.Num().Int64()))
	case reflect.Float64:
		return reflect.ValueOf(rat.Float64(x))
	}
	return reflect.ValueOf(x)
}
