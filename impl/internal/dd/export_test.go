package dd

// For the tests, which compare with package interval, which stands on this one.
const (
	ExpError = expError
	LogError = logError
)
