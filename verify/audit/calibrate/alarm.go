package calibrate

import (
	"context"

	"checkrr/verify/audit"
	"checkrr/verify/audit/mechanisms"
)

// tight are mechanisms that are exactly as private as it is claimed: the claim is true, and
// no smaller one is. If audits refute true claims too often, it is these.
var tight = []string{"laplace", "randomized-response", "response-pipeline"}

// FalseAlarms measures how often audits refute true claims about tight mechanisms.
func FalseAlarms(ctx context.Context, o audit.Options, audits int, progress func(done float64)) ([]Rate, error) {
	var subjects []subject
	for _, name := range tight {
		s, err := builtinSubject(name, mechanisms.Params{})
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, s)
	}
	return alarms(ctx, subjects, o, audits, progress)
}

// alarms measures how often audits refute the claims about some mechanisms.
func alarms(ctx context.Context, subjects []subject, o audit.Options, audits int, progress func(done float64)) ([]Rate, error) {
	var rates []Rate
	for i, s := range subjects {
		r, err := measure(ctx, s, o, audits)
		if err != nil {
			return nil, err
		}
		rates = append(rates, r)
		progress(float64(i+1) / float64(len(subjects)))
	}
	return rates, nil
}
