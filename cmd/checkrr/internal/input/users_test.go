package input

import (
	"testing"
)

// keysOfMechanisms are the keys of the mechanisms of a file.
func keysOfMechanisms(t *testing.T, text string) (keys []string) {
	t.Helper()
	p, err := parse(text)
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	for _, m := range p.Mechanisms {
		keys = append(keys, m.Key())
	}
	return keys
}

// Files that say the same in other words have the same mechanisms.
func TestProblem_Same(t *testing.T) {
	t.Parallel()
	const end = "\nstops: [{after: 1, eps: 1}]"
	for _, same := range [][2]string{
		{"mechanisms: [{gdp: 0.5}]", "mechanisms: [{gaussian: {noise: 2}}]"},
		{"neighbours: replace\nmechanisms: [{gdp: 0.5}]", "mechanisms: [{gaussian: {noise: 2}}]"},
		{"neighbours: {group: 3}\nmechanisms: [{gdp: 0.5}]", "mechanisms: [{gaussian: {noise: 2/3}}]"},
		{"neighbours: {group: 3}\nmechanisms: [{gdp: 0.5, group: 3}]", "mechanisms: [{gaussian: {noise: 2}}]"},
		{"neighbours: {group: 3}\nmechanisms: [{gaussian: {noise: 2}}]", "mechanisms: [{gaussian: {noise: 2/3}}]"},
		{"neighbours: {group: 3}\nmechanisms: [{laplace: {scale: 2}}]", "mechanisms: [{laplace: {scale: 2/3}}]"},
		{"neighbours: {group: 3}\nmechanisms: [{eps: 0.1}]", "mechanisms: [{eps: 0.3}]"},
		{"neighbours: {group: 3}\nmechanisms: [{exp_eps: 3/2}]", "mechanisms: [{exp_eps: 27/8}]"},
		{"neighbours: {group: 3}\nmechanisms: [{eps: 0.1, delta: 0.2, group: 3}]",
			"mechanisms: [{eps: 0.1, delta: 0.2}]"},
		{"neighbours: {group: 3}\nmechanisms: [{law: [[1, 1]], group: 3}]", "mechanisms: [{law: [[1, 1]]}]"},
		{"neighbours: {group: 1}\nmechanisms: [{eps: 0.1, delta: 0.2, group: 1}]",
			"mechanisms: [{eps: 0.1, delta: 0.2}]"},
		{"neighbours: {group: 2}\nmechanisms: [{gaussian: {noise: 1, adds: [[2, 1]]}}]",
			"mechanisms: [{gaussian: {noise: 1/4}}]"},
		{"mechanisms: [{gaussian: {noise: 1, adds: [[1, 0.25], [0, 0.75]]}}]",
			"mechanisms: [{gaussian: {noise: 1, sampling: 0.25}}]"},
		{"mechanisms: [{gaussian: {noise: 3, adds: [[3, 1/2], [2, 0], [0, 1/2]], sampling: 0.5}}]",
			"mechanisms: [{gaussian: {noise: 1, sampling: 0.25}}]"},
		{"neighbours: replace\nmechanisms: [{gaussian: {noise: 1, adds: [[2, 1]]}}]",
			"mechanisms: [{gaussian: {noise: 1/4}}]"},
	} {
		x, y := keysOfMechanisms(t, same[0]+end), keysOfMechanisms(t, same[1]+end)
		if x[0] != y[0] {
			t.Errorf("%s\nis %s, and\n%s\n%s, must be the same", same[0], x[0], same[1], y[0])
		}
	}
}

// A flag says what a file says.
func TestProblem_AddsByFlag(t *testing.T) {
	t.Parallel()
	p, err := ProblemOfFlags([]string{"gaussian,noise=1,sampling=0.5,adds=0:0.2+1:3/5+2:0.2,count=3"},
		[]string{"after=3,eps=1"}, nil, ChargedStops)
	if err != nil {
		t.Fatal(err)
	}
	want := keysOfMechanisms(t, "mechanisms: [{gaussian: {noise: 1, sampling: 0.5, "+
		"adds: [[0, 0.2], [1, 0.6], [2, 0.2]]}}]\nstops: [{after: 1, eps: 1}]")
	if got := p.Mechanisms[0].Key(); got != want[0] || p.Mechanisms[0].Count != 3 {
		t.Errorf("%d × %s, must be 3 × %s", p.Mechanisms[0].Count, got, want[0])
	}
	for _, text := range []string{"gaussian,noise=1,adds=1", "gaussian,noise=1,adds=1:0.5+",
		"gaussian,noise=1,adds=1:x", "gaussian,noise=1,adds="} {
		if _, err := ProblemOfFlags([]string{text}, []string{"after=1,eps=1"}, nil, ChargedStops); err == nil {
			t.Errorf("--mech %s is taken, must be refused", text)
		}
	}
}
