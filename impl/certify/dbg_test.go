package certify
import ("testing";"math/big";"fmt";"math";"time")
func TestDbg(t *testing.T) {
	for _, x := range []struct{s,q float64; n int; eps, unit float64}{{1,1e-6,1000000,.0059,2e-5}} {
		for _, tilt := range []float64{3000} {
		m := Mechanism{Additive:&Additive{Gaussian,new(big.Rat).SetFloat64(x.s),new(big.Rat).SetFloat64(x.q),false},Count:x.n}
		for _, up := range []bool{true,false} {
			t0:=time.Now()
			cl, err := m.law(t.Context(), x.n, new(big.Rat), exactly(x.unit), 1, up, tilt, 1e-20)
			if err!=nil {fmt.Println(x,up,err);continue}
			v:=cl.infinity-cl.deficit
			for i,m:=range cl.mass[0] {
				l:=float64(cl.low+i)*x.unit
				qm:=m
				if !up {qm=cl.mass[1][i]}
				v+=max(0,m-qm*math.Exp(x.eps-l))
			}
			fmt.Printf("%v up %v nodes %d from %.3g value %.8g inf %.3g def %.3g tilt %v time %v\n",x,up,len(cl.mass[0]),float64(cl.low)*x.unit,v,cl.infinity,cl.deficit,tilt,time.Since(t0))
		}
		}
	}
}
