package rootfind

// Least returns about where f, which falls and then rises, is least in [lo, hi]: golden sections.
func Least(lo, hi float64, f func(x float64) float64) float64 {
	const part = 0.3819660112501051
	x, y := lo+part*(hi-lo), hi-part*(hi-lo)
	fx, fy := f(x), f(y)
	for range 60 {
		if fx <= fy {
			hi, y, fy = y, x, fx
			x = lo + part*(hi-lo)
			fx = f(x)
		} else {
			lo, x, fx = x, y, fy
			y = hi - part*(hi-lo)
			fy = f(y)
		}
	}
	if fx <= fy {
		return x
	}
	return y
}
