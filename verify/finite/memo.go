package finite

import "sync"

// Memo keeps what was found, for all checks.
type Memo[K comparable, V any] struct{ known sync.Map }

// Of returns what is known for a key, or finds it.
func (m *Memo[K, V]) Of(key K, find func() V) V {
	if v, isKnown := m.known.Load(key); isKnown {
		return v.(V)
	}
	v := find()
	m.known.Store(key, v)
	return v
}
