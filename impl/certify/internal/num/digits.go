package num

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"strings"
)

// Digits writes numbers in time that grows with their lengths.
func Digits(pairs [][2]*big.Rat) string {
	var b strings.Builder
	for _, pair := range pairs {
		for _, x := range pair {
			b.WriteString(x.Num().Text(16))
			b.WriteByte('/')
			b.WriteString(x.Denom().Text(16))
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// DigestOf returns what is the same for equal lists, and, but for a collision of SHA-256, for no others.
func DigestOf(list [][2]*big.Rat) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(Digits(list))))
}
