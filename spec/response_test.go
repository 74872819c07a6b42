package spec

import "testing"

func TestResponseLaw(t *testing.T) {
	t.Parallel()
	law := ResponseLaw([]Mechanism{{rat("3"), rat("1/2")}, {rat("1"), rat("0")}})
	if len(law[0]) != 16 || len(law[1]) != 16 {
		t.Fatalf("laws over %d and %d sequences, want 16", len(law[0]), len(law[1]))
	}
	tests := []struct {
		b    int
		q    string
		want string
	}{
		{0, "01", "1/4"}, {0, "12", "3/16"}, {0, "21", "1/16"}, {0, "31", "0"}, {0, "10", "0"},
		{1, "01", "0"}, {1, "12", "1/16"}, {1, "21", "3/16"}, {1, "31", "1/4"}, {1, "13", "0"},
	}
	for _, test := range tests {
		if got := law[test.b][test.q]; got.Cmp(rat(test.want)) != 0 {
			t.Errorf("Pr_%d(%s) = %v, want %s", test.b, test.q, got, test.want)
		}
	}
}
