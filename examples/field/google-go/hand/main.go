// Command hand counts what refutes claims about Google's library, with nothing but the library:
//
//	go run ./hand NAME
package main

import (
	"fmt"
	"log"
	"math"
	"os"
	"runtime/debug"

	"github.com/google/differential-privacy/go/v3/dpagg"
	"github.com/google/differential-privacy/go/v3/noise"
)

const n = 100_000

func main() {
	switch os.Args[1] {
	case "version":
		version()
	case "gaussian":
		fmt.Printf("no multiple of 2⁻⁵³: %d of %d against %d\n", gaussian(0, offGrid), n, gaussian(1, offGrid))
	case "sum-gaussian":
		fmt.Printf("no multiple of 2⁻⁵³: %d of %d against %d\n", sum(nil, offGrid), n, sum([]float64{1}, offGrid))
	case "laplace-wrong":
		fmt.Printf("above 1: %d of %d against %d\n", laplace(1, aboveOne), n, laplace(0, aboveOne))
	}
}

func version() {
	build, _ := debug.ReadBuildInfo()
	for _, module := range build.Deps {
		if module.Path == "github.com/google/differential-privacy/go/v3" {
			fmt.Println(module.Path, module.Version)
		}
	}
}

// offGrid says whether a number is no multiple of 2^-53.
func offGrid(y float64) bool {
	_, fraction := math.Modf(math.Ldexp(y, 53))
	return fraction != 0
}

func aboveOne(y float64) bool { return y > 1 }

// gaussian counts an event of n outputs of (1, 10^-3)-differentially private noise added to x.
func gaussian(x float64, event func(float64) bool) int {
	return count(event, func() (float64, error) { return noise.Gaussian().AddNoiseFloat64(x, 1, 1, 1, 1e-3) })
}

// laplace does so for 1-differentially private noise.
func laplace(x float64, event func(float64) bool) int {
	return count(event, func() (float64, error) { return noise.Laplace().AddNoiseFloat64(x, 1, 1, 1, 0) })
}

// sum counts an event of n sums of numbers, clamped to [0, 1], with the same Gaussian noise.
func sum(numbers []float64, event func(float64) bool) int {
	return count(event, func() (float64, error) {
		bs, err := dpagg.NewBoundedSumFloat64(&dpagg.BoundedSumFloat64Options{Epsilon: 1, Delta: 1e-3,
			MaxPartitionsContributed: 1, Lower: 0, Upper: 1, Noise: noise.Gaussian()})
		if err != nil {
			return 0, err
		}
		for _, number := range numbers {
			if err := bs.Add(number); err != nil {
				return 0, err
			}
		}
		return bs.Result()
	})
}

func count(event func(float64) bool, draw func() (float64, error)) int {
	hits := 0
	for range n {
		y, err := draw()
		if err != nil {
			log.Fatal(err)
		}
		if event(y) {
			hits++
		}
	}
	return hits
}
