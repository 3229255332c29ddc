package audit

import "testing"

// TestTextFindsOrigin: a search for a text finds the way in which a call was made.
func TestTextFindsOrigin(t *testing.T) {
	t.Parallel()
	r := fullRecord()
	if q := (Query{Text: "MC"}); !q.Mentions(&r) {
		t.Errorf("%q is not found in the origin %s", q.Text, r.Origin)
	}
}
