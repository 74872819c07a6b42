package input

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/verify/audit"
)

// memoryUnits are what an amount of memory can be given in, with their bytes.
var memoryUnits = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9},
	{"TB", 1e12}}

// maxMemory is the most memory that an audit can be given.
const maxMemory = 1 << 42

// ParseMemory reads an amount of memory for an audit, such as 512 MiB, in bytes.
func ParseMemory(text string) (int64, error) {
	for _, unit := range memoryUnits {
		number, ok := strings.CutSuffix(text, unit.name)
		if !ok {
			continue
		}
		r, err := ParseNumber(strings.TrimSpace(number))
		if err != nil {
			return 0, fmt.Errorf("is %s, must be a number with a unit, such as 512 MiB", report.Quote(text))
		}
		r.Mul(r, new(big.Rat).SetInt64(unit.bytes))
		if r.Cmp(big.NewRat(audit.LeastMemory, 1)) < 0 || r.Cmp(big.NewRat(maxMemory, 1)) > 0 {
			return 0, fmt.Errorf("is %s, must be between 64 MiB and 4 TiB", report.Quote(text))
		}
		return new(big.Int).Quo(r.Num(), r.Denom()).Int64(), nil
	}
	return 0, fmt.Errorf("is %s, must be a number with a unit, such as 512 MiB or 1 GiB", report.Quote(text))
}

// memory reads an amount of memory, in bytes.
func (s source) memory(what string, n ast.Node) int64 {
	bytes, err := ParseMemory(s.scalar(what, n, "an amount such as 512 MiB"))
	if err != nil {
		s.fail(n, "%s %v", what, err)
	}
	return bytes
}
