// Package conjecture tries to refute an inequality about pipelines that may stop early, such as OptDel ≤ 2·max δ_i: it
// searches where such claims break, makes the pipeline that breaks it as small as it can, and leaves the arithmetic to
// certified intervals.
package conjecture
