package certificate

import (
	"math"
	"math/big"

	"checkrr/impl/certify"
)

// proofKeys are the keys that a proof must have or, with a question mark, may have, and no others.
var proofKeys = map[any][]string{
	methodLattice: {"method", "cut", "upper", "thresholds"},
	methodGrid:    {"method", "cut", "upper", "lower", "thresholds", "?tops", "?tilts", "?steeper", "?divided"},
	methodStates:  {"method", "bits", "thresholds"},
}

func (p *parser) hints(at string, value any, stops int) (h certify.Hints) {
	m, _ := value.(object)
	method, _ := m.get("method").(string)
	keys, ok := proofKeys[method]
	if !ok {
		p.fault(at+".method", "must be lattice, grid or states")
		return h
	}
	p.object(at, value, keys...)
	h.Thresholds = each(p, at+".thresholds", m.get("thresholds"), p.threshold)
	p.oneEach(at+".thresholds", len(h.Thresholds), stops)
	if method == methodStates {
		if h.Bits = uint(p.whole(at+".bits", m.get("bits"))); h.Bits < 53 || h.Bits > certify.MaxBits {
			p.fault(at+".bits", "must be from 53 to %d", certify.MaxBits)
		}
		return h
	}
	if h.Cut = p.float(at+".cut", m.get("cut")); !(h.Cut >= 0 && h.Cut < 1) {
		p.fault(at+".cut", "must be at least 0 and less than 1")
	}
	h.Upper = p.lattice(at+".upper", m.get("upper"))
	if method == methodGrid {
		h.Lower = new(p.lattice(at+".lower", m.get("lower")))
	}
	if tops, ok := m.find("tops"); ok {
		h.NodeZero = each(p, at+".tops", tops, p.top)
	}
	if tilts, ok := m.find("tilts"); ok {
		h.Tilts = each(p, at+".tilts", tilts, p.float)
	}
	if steeper, ok := m.find("steeper"); ok {
		h.Steeper = p.whole(at+".steeper", steeper)
	}
	if divided, ok := m.find("divided"); ok {
		if _, ok = divided.(bool); !ok { // it said how older versions found laws
			p.fault(at+".divided", "must be true or false")
		}
	}
	return h
}

func (p *parser) threshold(at string, value any) float64 {
	if value == nil {
		return math.Inf(1)
	}
	return p.float(at, value)
}

// top returns the node 0 of a run; nil if it has no noise.
func (p *parser) top(at string, value any) *big.Rat {
	if value == nil {
		return nil
	}
	return p.ratio(at, value)
}

func (p *parser) lattice(at string, value any) certify.Lattice {
	m := p.object(at, value, "unit", "windows")
	unit := p.object(at+".unit", m.get("unit"), "?eps", "?exp_eps")
	l := certify.Lattice{Unit: p.number(at+".unit", unit), Windows: each(p, at+".windows", m.get("windows"), p.window)}
	if len(l.Windows) == 0 {
		p.fault(at+".windows", "are none, must be one behind every run")
	}
	return l
}

func (p *parser) window(at string, value any) certify.Window {
	ends := each(p, at, value, p.whole)
	if len(ends) != 2 {
		p.fault(at, "must be a list of two whole numbers")
		return certify.Window{}
	}
	return certify.Window{Lo: ends[0], Hi: ends[1]}
}
