package impl

import "runtime"

// allocated returns how many bytes f allocates: about what it does, on a busy machine, too.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
