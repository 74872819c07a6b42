package noise
import ("fmt"; "checkrr/impl/certify/internal/num")
func (s *scales) print() {
	fmt.Printf("unit %.3g total-1 %.3g inf %.3g:", s.unit.Lo, s.total-1, s.infinity)
	for _, c := range s.parts {
		if c == nil {
			fmt.Print(" nil")
			continue
		}
		fmt.Printf(" [%d+%d: %.2g]", c.Low, len(c.Mass[0]), num.Dot(c.Mass[0], nil))
	}
	fmt.Println()
}
