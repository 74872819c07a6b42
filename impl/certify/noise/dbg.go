package noise
var debug = false
