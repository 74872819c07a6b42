package calibrate

import (
	"context"
	"fmt"
	"testing"

	"checkrr/verify/audit"
)

func TestTry(t *testing.T) {
	r, err := FalseAlarms(context.Background(), audit.Options{Samples: 1e4, Alpha: 0.01, Seed: 1}, 500, func(float64) {})
	fmt.Println(r, err)
	c, err := Power(context.Background(), []int{1e3, 1e4, 1e5}, audit.Options{Alpha: 0.01, Seed: 1}, 50, func(float64) {})
	for _, x := range c {
		fmt.Println(x)
	}
	fmt.Println(err)
}
