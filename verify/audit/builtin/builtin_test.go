package builtin

import (
	"testing"
	"time"
)

func TestLook(t *testing.T) {
	for _, m := range All() {
		for _, claim := range m.Claims {
			start := time.Now()
			c, err := m.Make(Params{Claim: claim})
			if err != nil {
				t.Error(m.Name, err)
				continue
			}
			if c.Laws == nil {
				continue
			}
			laws, err := c.Laws(t.Context())
			if err != nil {
				t.Error(m.Name, err)
			}
			for _, l := range laws {
				f, err := l.Check(c.Claim)
				if err != nil {
					t.Error(m.Name, l.Inputs, err)
					continue
				}
				t.Logf("%s %s %v complete %v: refuted %v proved %v δ [%.6g, %.6g] event %v", m.Name, claim, l.Inputs, l.Complete, f.Refuted, f.Proved, f.Delta.Lower, f.Delta.Upper, f.Event)
				for k, loss := range f.Losses {
					t.Logf("   part %q: [%.6g, %.6g] cell %d", c.Claim.Parts[k].Name, loss.Loss.Lower, loss.Loss.Upper, loss.Cell)
				}
			}
			t.Logf("%s: %v", m.Name, time.Since(start))
		}
	}
}
