package odp

import (
	"context"
	"math/big"

	"checkrr/impl"
	"checkrr/verify"
)

// Figures computes Table 1, Figure 1 and Figure 2 again.
func Figures(ctx context.Context) ([]verify.Figure, error) {
	var figures []verify.Figure
	for _, f := range []func() (verify.Figure, error){figureOfTable1} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		figure, err := f()
		if err != nil {
			return nil, err
		}
		figures = append(figures, figure)
	}
	return figures, nil
}

// printedTable1 and computedTable1 are the numbers of mechanisms at δ = 1e-5, 1e-6, …, 1e-12.
var (
	printedTable1   = []int{17, 20, 24, 27, 31, 35, 38, 42}
	correctedTable1 = []int{16, 19, 23, 26, 30, 34, 37, 41}
)

func figureOfTable1() (verify.Figure, error) {
	printed, computed := verify.Curve{Label: "printed"}, verify.Curve{Label: "computed"}
	for j, i := range printedTable1 {
		delta := new(big.Rat).Inv(power(big.NewRat(10, 1), 5+j))
		k, err := impl.Table1(impl.Nats(big.NewRat(1, 10)), delta)
		if err != nil {
			return verify.Figure{}, err
		}
		printed.Points = append(printed.Points, verify.Point{X: delta, Y: whole(i)})
		computed.Points = append(computed.Points, verify.Point{X: delta, Y: whole(k)})
	}
	return verify.Figure{
		ID: "ODP-TB1", Name: "table1", Title: "Mechanisms until optimal composition has a smaller ε than simple composition",
		X: "δ", Y: "number of 0.1-DP mechanisms", LogX: true,
		Curves: []verify.Curve{printed, computed},
		Note: "Print shows the least number of 0.1-DP mechanisms for which optimal homogeneous composition has a δ of at most the one in the first column and an ε below simple composition. " +
			"Computed is the least k with δ_1 = (e^(kε) − e^((k−2)ε))/(1 + e^ε)^k ≤ δ, certified. Every number in print is one larger.",
	}, nil
}

// whole is an integer as an interval.
func whole(n int) impl.Interval {
	x := new(big.Float).SetInt64(int64(n))
	return impl.Interval{Lower: x, Upper: x}
}
